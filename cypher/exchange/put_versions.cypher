// Write versions as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (v:ToolVersion {id: row.id})
SET v.tool_id = row.tool_id, v.name = row.name, v.version = row.version, v.number = row.number,
    v.content_hash = row.content_hash, v.definition = row.definition,
    v.requires = row.requires, v.produces = row.produces, v.published = row.published
