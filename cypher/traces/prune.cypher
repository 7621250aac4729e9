// Empty trajectories, so that only their ids are left: a second import still finds them, and counts
// on tools and transitions stay.
// params: ids
// access: write
// returns:
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})
SET j.request = '', j.path = [], j.pruned = true, j.vector = null, j.vector_bytes = null, j.vector_of = null,
    j.terms = null
