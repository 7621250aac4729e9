// Take the vectors off all nodes of trajectory, before another encoder makes them.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (j:Trajectory)
WHERE j.vector IS NOT NULL
REMOVE j.vector, j.vector_bytes, j.vector_of
