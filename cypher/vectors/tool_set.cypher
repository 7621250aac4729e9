// Put vectors, as numbers for the index and as bytes for who reads them, and terms on nodes of tool.
// params: rows
// access: write
// returns:
// engines: neo4j
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.vector_of = row.digest, t.terms = row.terms, t.vector_bytes = row.bytes
WITH t, row
CALL db.create.setNodeVectorProperty(t, 'vector', row.vector)
