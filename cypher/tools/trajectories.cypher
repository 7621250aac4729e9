// How many trajectories have this tool as a step.
// params: id
// access: read
// returns: trajectories
MATCH (j:Trajectory)-[:STEP]->(t:Tool {id: $id})
RETURN count(DISTINCT j.id) AS trajectories
