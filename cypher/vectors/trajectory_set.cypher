// Put vectors, as numbers for the index and as bytes for who reads them, and terms on nodes of trajectory.
// params: rows
// access: write
// returns:
// engines: neo4j
UNWIND $rows AS row
MATCH (j:Trajectory {id: row.id})
SET j.vector_of = row.digest, j.terms = row.terms, j.vector_bytes = row.bytes
WITH j, row
CALL db.create.setNodeVectorProperty(j, 'vector', row.vector)
