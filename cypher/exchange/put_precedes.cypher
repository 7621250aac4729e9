// Write observed transitions with their counts.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (a:Tool {id: row.first})
MATCH (b:Tool {id: row.second})
MERGE (a)-[e:PRECEDES]->(b)
SET e.count = row.count, e.last_seen = row.last_seen, e.weight = row.weight
