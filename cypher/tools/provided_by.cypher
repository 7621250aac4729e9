// Link tools to the services that provide them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (s:Service {name: row.service})
MERGE (t)-[:PROVIDED_BY]->(s)
