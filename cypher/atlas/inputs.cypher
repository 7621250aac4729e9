// Every input of every tool.
// params:
// access: read
// returns: id, field, required
MATCH (t:Tool)-[e:REQUIRES]->(f:Field)
RETURN t.id AS id, f.name AS field, e.required AS required
ORDER BY id, field
