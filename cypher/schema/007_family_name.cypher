// A family is known by its name.
// params:
// access: schema
// returns:
CREATE CONSTRAINT family_name IF NOT EXISTS FOR (f:Family) REQUIRE f.name IS UNIQUE
