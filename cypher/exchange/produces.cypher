// What these tools give, and how that is known.
// params: ids
// access: read
// returns: id, field, evidence, count
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[e:PRODUCES]->(f:Field)
RETURN t.id AS id, f.name AS field, e.evidence AS evidence, e.count AS count
ORDER BY id, field
