// Every published version of these tools, removed tools included.
// params: ids
// access: read
// returns: id, number, version, content_hash, published
UNWIND $ids AS id
MATCH (v:ToolVersion {tool_id: id})
RETURN v.tool_id AS id, v.number AS number, v.version AS version,
       v.content_hash AS content_hash, v.published AS published
ORDER BY id, number
