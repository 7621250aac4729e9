// Hand tools over to another owner, though nothing else about them changed.
// params: rows, at
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.owner = row.owner, t.updated = $at
