// Which text the vector of each trajectory was made of, as a digest.
// params:
// access: read
// returns: id, digest
// engines: neo4j
MATCH (j:Trajectory)
WHERE j.vector IS NOT NULL
RETURN j.id AS id, j.vector_of AS digest
ORDER BY id
