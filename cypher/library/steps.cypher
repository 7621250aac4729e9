// Every successful step of every successful trajectory, also of those without a request.
// params:
// access: read
// returns: trajectory, idx, tool
MATCH (j:Trajectory)-[s:STEP]->(t:Tool)
WHERE s.ok AND j.success
RETURN j.id AS trajectory, s.idx AS idx, t.id AS tool
ORDER BY trajectory, idx
