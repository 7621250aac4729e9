// Take back that tools declare to produce fields which they were observed to produce.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})-[e:PRODUCES]->(f:Field {name: row.field})
SET e.evidence = 'observed'
