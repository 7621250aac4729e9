// Everything that is kept on these trajectories, but for their vectors.
// params: ids
// access: read
// returns: id, request, source, success, time, path, pruned
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})
RETURN j.id AS id, j.request AS request, j.source AS source, j.success AS success,
       j.time AS time, j.path AS path, j.pruned AS pruned
ORDER BY id
