// All versions of a tool, old ones included.
// params: tool
// access: read
// returns: id, version, published, requires, produces
MATCH (v:ToolVersion)
WHERE v.tool_id = $tool OR v.name = $tool
RETURN v.tool_id AS id, v.version AS version, v.published AS published, v.requires AS requires,
       v.produces AS produces
ORDER BY id, published, version
