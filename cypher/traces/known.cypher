// Which of these trajectories are already there.
// params: ids
// access: read
// returns: id
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})
RETURN j.id AS id
ORDER BY id
