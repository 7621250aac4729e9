// What names the state of the registry: its revision, and the last operation, whose id is unique.
// params:
// access: read
// returns: revision, operation
// engines: neo4j
MATCH (r:Registry {id: 'registry'})
RETURN r.revision AS revision, r.operation AS operation
