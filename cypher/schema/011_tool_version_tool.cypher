// All versions of one tool.
// params:
// access: schema
// returns:
CREATE INDEX tool_version_tool IF NOT EXISTS FOR (v:ToolVersion) ON (v.tool_id)
