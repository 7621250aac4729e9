// Which versions these tools are linked to; versions of a removed tool are linked to nothing.
// params: ids
// access: read
// returns: id, version
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[:HAS_VERSION]->(v:ToolVersion)
RETURN t.id AS id, v.id AS version
ORDER BY id, version
