// The ids of all trajectories.
// params:
// access: read
// returns: id
MATCH (j:Trajectory)
RETURN j.id AS id
ORDER BY id
