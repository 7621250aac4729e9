// Every version of these tools, whole.
// params: ids
// access: read
// returns: id, tool_id, name, version, number, content_hash, definition, requires, produces, published
UNWIND $ids AS tool
MATCH (v:ToolVersion {tool_id: tool})
RETURN v.id AS id, v.tool_id AS tool_id, v.name AS name, v.version AS version,
       v.number AS number, v.content_hash AS content_hash, v.definition AS definition,
       v.requires AS requires, v.produces AS produces, v.published AS published
ORDER BY id
