// Every published version of a tool is kept under tool id @ version.
// params:
// access: schema
// returns:
CREATE CONSTRAINT tool_version_id IF NOT EXISTS FOR (v:ToolVersion) REQUIRE v.id IS UNIQUE
