// The whole current definition of these tools, as JSON.
// params: ids
// access: read
// returns: id, version, definition
UNWIND $ids AS id
MATCH (t:Tool {id: id})-[:HAS_VERSION]->(v:ToolVersion)
WHERE v.version = t.version
RETURN t.id AS id, v.version AS version, v.definition AS definition
ORDER BY id
