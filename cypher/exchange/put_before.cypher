// Write who was seen before whom, with counts.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (a:Tool {id: row.first})
MATCH (b:Tool {id: row.second})
MERGE (a)-[e:BEFORE]->(b)
SET e.count = row.count
