// Active tools that produce these fields, or a field reviewed as the same.
// params: fields
// access: read
// returns: field, id, evidence, count
UNWIND $fields AS name
MATCH (f:Field {name: name})-[:SAME_AS*0..1]-(g:Field)<-[e:PRODUCES]-(t:Tool)
WHERE t.status = 'active'
RETURN DISTINCT f.name AS field, t.id AS id, e.evidence AS evidence, e.count AS count
ORDER BY field, id, evidence, count
