// Every output of every tool.
// params:
// access: read
// returns: id, field
MATCH (t:Tool)-[:PRODUCES]->(f:Field)
RETURN t.id AS id, f.name AS field
ORDER BY id, field
