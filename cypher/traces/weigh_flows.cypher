// Write how much observed flows still weigh; their counts stay.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (f:Field {name: row.output})-[e:FLOWS]->(g:Field {name: row.input})
SET e.weight = row.weight
