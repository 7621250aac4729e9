// One registry node: revision, schema version, encoder. Every write takes its lock first.
// params:
// access: schema
// returns:
CREATE CONSTRAINT registry_id IF NOT EXISTS FOR (r:Registry) REQUIRE r.id IS UNIQUE
