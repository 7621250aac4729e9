// The fields that these tools produce, and how that is known.
// params: ids
// access: read
// returns: id, field, type, evidence, count
UNWIND $ids AS id
MATCH (t:Tool {id: id})-[e:PRODUCES]->(f:Field)
RETURN t.id AS id, f.name AS field, f.type AS type, e.evidence AS evidence, e.count AS count
ORDER BY id, field
