// The steps of these trajectories, failed ones included.
// params: ids
// access: read
// returns: trajectory, idx, tool, ok
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})-[s:STEP]->(t:Tool)
RETURN j.id AS trajectory, s.idx AS idx, t.id AS tool, s.ok AS ok
ORDER BY trajectory, idx, tool
