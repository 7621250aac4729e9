// Link tools to the fields they declare to produce. An observed edge becomes declared and keeps
// its count.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (f:Field {name: row.field})
MERGE (t)-[e:PRODUCES]->(f)
ON CREATE SET e.count = 0
SET e.evidence = 'declared'
