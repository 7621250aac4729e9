// Trajectories from before a moment, oldest first.
// params: before, count
// access: read
// returns: id
MATCH (j:Trajectory)
WHERE j.time < $before AND j.pruned IS NULL
RETURN j.id AS id
ORDER BY j.time, id
LIMIT $count
