// Which text the vector of each tool was made of, as a digest.
// params:
// access: read
// returns: id, digest
// engines: neo4j
MATCH (t:Tool)
WHERE t.vector IS NOT NULL
RETURN t.id AS id, t.vector_of AS digest
ORDER BY id
