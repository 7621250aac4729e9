// A trajectory is known by its id, so importing it twice changes nothing.
// params:
// access: schema
// returns:
CREATE CONSTRAINT trajectory_id IF NOT EXISTS FOR (j:Trajectory) REQUIRE j.id IS UNIQUE
