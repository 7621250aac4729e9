// Write reviewed pairs of fields as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (a:Field {name: row.first})
MATCH (b:Field {name: row.second})
MERGE (a)-[e:SAME_AS]->(b)
SET e.reviewed_by = row.reviewed_by, e.at = row.at
