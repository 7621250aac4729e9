// Drop trajectories with their steps. Counts on tools and transitions stay.
// params: ids
// access: write
// returns:
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})
DETACH DELETE j
