// A tool is known by its id, service/name.
// params:
// access: schema
// returns:
CREATE CONSTRAINT tool_id IF NOT EXISTS FOR (t:Tool) REQUIRE t.id IS UNIQUE
