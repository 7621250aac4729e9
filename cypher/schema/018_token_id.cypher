// A token is known by the SHA-256 of its secret, which nobody keeps.
// params:
// access: schema
// returns:
CREATE CONSTRAINT token_id IF NOT EXISTS FOR (t:Token) REQUIRE t.id IS UNIQUE
