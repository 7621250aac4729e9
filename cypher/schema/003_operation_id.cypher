// One node for each write; its id is made by the client, so a lost answer can be repeated.
// params:
// access: schema
// returns:
CREATE CONSTRAINT operation_id IF NOT EXISTS FOR (o:Operation) REQUIRE o.id IS UNIQUE
