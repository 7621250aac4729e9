// Write how much transitions still weigh; their counts stay.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (a:Tool {id: row.first})-[e:PRECEDES]->(b:Tool {id: row.second})
SET e.weight = row.weight
