// Active tools that require these fields, or a field reviewed as the same.
// params: fields
// access: read
// returns: field, id, required
UNWIND $fields AS name
MATCH (f:Field {name: name})-[:SAME_AS*0..1]-(g:Field)<-[e:REQUIRES]-(t:Tool)
WHERE t.status = 'active'
RETURN DISTINCT f.name AS field, t.id AS id, e.required AS required
ORDER BY field, id, required
