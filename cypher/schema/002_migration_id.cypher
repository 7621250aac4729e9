// The ledger: one node for each schema file that was applied.
// params:
// access: schema
// returns:
CREATE CONSTRAINT migration_id IF NOT EXISTS FOR (m:Migration) REQUIRE m.id IS UNIQUE
