// Which of these trajectories are already there, and what is kept of them.
// params: ids
// access: read
// returns: id, request, source, success, time, path, pruned
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})
RETURN j.id AS id, j.request AS request, j.source AS source, j.success AS success, j.time AS time,
       j.path AS path, j.pruned AS pruned
ORDER BY id
