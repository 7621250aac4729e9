// A frozen menu is known by the digest of what it holds.
// params:
// access: schema
// returns:
CREATE CONSTRAINT frozen_menu_id IF NOT EXISTS FOR (m:FrozenMenu) REQUIRE m.id IS UNIQUE
