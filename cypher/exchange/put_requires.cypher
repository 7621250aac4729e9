// Link tools to what they take.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (f:Field {name: row.field})
MERGE (t)-[e:REQUIRES]->(f)
SET e.required = row.required
