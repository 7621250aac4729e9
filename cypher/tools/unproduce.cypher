// Cut tools from fields that they no longer declare to produce.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})-[e:PRODUCES]->(f:Field {name: row.field})
DELETE e
