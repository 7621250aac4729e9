// An approval is known by the digest of the one call that it is for.
// params:
// access: schema
// returns:
CREATE CONSTRAINT approval_id IF NOT EXISTS FOR (a:Approval) REQUIRE a.id IS UNIQUE
