// Put vectors and terms on nodes of tool.
// params: rows
// access: write
// returns:
// engines: neo4j
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.vector_of = row.digest, t.terms = row.terms
WITH t, row
CALL db.create.setNodeVectorProperty(t, 'vector', row.vector)
