// Tools that were ever published under this name, also those that are gone.
// params: name
// access: read
// returns: id
MATCH (v:ToolVersion {name: $name})
RETURN DISTINCT v.tool_id AS id
ORDER BY id
