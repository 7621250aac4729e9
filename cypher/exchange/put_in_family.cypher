// Link tools to their families.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (f:Family {name: row.family})
MERGE (t)-[:IN_FAMILY]->(f)
