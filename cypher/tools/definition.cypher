// The whole definition of one version of a tool, as JSON.
// params: id, version
// access: read
// returns: definition
MATCH (v:ToolVersion {tool_id: $id, version: $version})
RETURN v.definition AS definition
