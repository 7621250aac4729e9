// The vectors of these nodes of trajectory, null where there is none, and how long vectors are here.
// params: ids
// access: read
// returns: id, vector, width
// engines: neo4j
MATCH (any:Trajectory)
WHERE any.vector IS NOT NULL
WITH size(any.vector) AS width
LIMIT 1
UNWIND $ids AS id
OPTIONAL MATCH (j:Trajectory {id: id})
RETURN id, coalesce(j.vector_bytes, j.vector) AS vector, width
ORDER BY id
