// Raise the revision. Every write runs this first: the node's lock puts writers in one order,
// so what they read afterwards cannot change under them.
// params:
// access: write
// returns: revision
MERGE (r:Registry {id: 'registry'})
ON CREATE SET r.revision = 1, r.schema = 0
ON MATCH SET r.revision = r.revision + 1
RETURN r.revision AS revision
