// The successful steps of these trajectories: what solved similar requests.
// params: ids
// access: read
// returns: trajectory, idx, tool
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})-[s:STEP]->(t:Tool)
WHERE s.ok AND j.success AND t.status = 'active'
RETURN j.id AS trajectory, s.idx AS idx, t.id AS tool
ORDER BY trajectory, idx
