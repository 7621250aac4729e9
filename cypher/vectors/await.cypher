// Wait until the vector indexes have caught up with what was written.
// params:
// access: read
// returns:
// engines: neo4j
CALL db.awaitIndexes(60)
