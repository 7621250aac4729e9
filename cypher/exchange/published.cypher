// The tools that have versions, removed tools included.
// params:
// access: read
// returns: id
MATCH (v:ToolVersion)
RETURN DISTINCT v.tool_id AS id
ORDER BY id
