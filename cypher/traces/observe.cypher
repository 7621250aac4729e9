// Count fields that results were seen to carry. A declared edge stays declared and counts too.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (f:Field {name: row.field})
MERGE (t)-[e:PRODUCES]->(f)
ON CREATE SET e.evidence = 'observed', e.count = row.count
ON MATCH SET e.count = e.count + row.count
