// The fields that these tools take.
// params: ids
// access: read
// returns: id, field, type, required
UNWIND $ids AS id
MATCH (t:Tool {id: id})-[e:REQUIRES]->(f:Field)
RETURN t.id AS id, f.name AS field, f.type AS type, e.required AS required
ORDER BY id, field
