// Requests that were solved with a tool.
// params: tool
// access: read
// returns: id, request, success
MATCH (j:Trajectory)-[:STEP]->(t:Tool)
WHERE t.id = $tool OR t.name = $tool
RETURN DISTINCT j.id AS id, j.request AS request, j.success AS success
ORDER BY id
LIMIT 50
