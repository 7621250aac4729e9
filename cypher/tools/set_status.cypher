// Change the status of tools: deprecate, quarantine, approve.
// params: rows, at
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.status = row.status, t.successor = row.successor, t.updated = $at
