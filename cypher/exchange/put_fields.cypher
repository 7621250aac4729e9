// Write fields as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (f:Field {name: row.name})
SET f.type = row.type, f.aliases = row.aliases
