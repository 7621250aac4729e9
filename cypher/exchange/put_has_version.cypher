// Link tools to their versions.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (v:ToolVersion {id: row.version})
MERGE (t)-[:HAS_VERSION]->(v)
