// Link tools to their services.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (s:Service {name: row.service})
MERGE (t)-[:PROVIDED_BY]->(s)
