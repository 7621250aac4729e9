// Take the vectors off all nodes of tool, before another encoder makes them.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (t:Tool)
WHERE t.vector IS NOT NULL
REMOVE t.vector, t.vector_bytes, t.vector_of
