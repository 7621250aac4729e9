// The newest requests that were answered with one of these tools.
// params: ids
// access: read
// returns: id, request, success, time
UNWIND $ids AS tool
MATCH (j:Trajectory)-[:STEP]->(t:Tool {id: tool})
RETURN DISTINCT j.id AS id, j.request AS request, j.success AS success,
       coalesce(j.time, '') AS time
ORDER BY time DESC, id
LIMIT 10
