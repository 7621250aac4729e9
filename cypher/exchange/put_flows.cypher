// Write observed flows with their counts.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (f:Field {name: row.output})
MATCH (g:Field {name: row.input})
MERGE (f)-[e:FLOWS]->(g)
SET e.count = row.count, e.last_seen = row.last_seen, e.weight = row.weight
