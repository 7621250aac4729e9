// Link tools to what they give, with the evidence and its count.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (f:Field {name: row.field})
MERGE (t)-[e:PRODUCES]->(f)
SET e.evidence = row.evidence, e.count = row.count
