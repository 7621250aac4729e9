// What these tools take.
// params: ids
// access: read
// returns: id, field, required
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[e:REQUIRES]->(f:Field)
RETURN t.id AS id, f.name AS field, e.required AS required
ORDER BY id, field
