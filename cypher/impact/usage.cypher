// How many trajectories have one of these tools as a step, and when the last one was.
// params: ids
// access: read
// returns: trajectories, newest
UNWIND $ids AS tool
MATCH (j:Trajectory)-[:STEP]->(t:Tool {id: tool})
RETURN count(DISTINCT j.id) AS trajectories, max(j.time) AS newest
