// Write families as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (f:Family {name: row.name})
