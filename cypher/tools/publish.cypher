// Keep a version of a tool for ever, with its whole definition as JSON.
// params: rows, at
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.tool_id})
MERGE (v:ToolVersion {id: row.id})
ON CREATE SET v.tool_id = row.tool_id, v.name = row.name, v.version = row.version,
              v.number = row.number, v.content_hash = row.content_hash,
              v.definition = row.definition, v.requires = row.requires,
              v.produces = row.produces, v.published = $at
MERGE (t)-[:HAS_VERSION]->(v)
