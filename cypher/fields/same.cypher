// Fields reviewed as the same, in both directions.
// params: fields
// access: read
// returns: field, same
UNWIND $fields AS name
MATCH (f:Field {name: name})-[:SAME_AS]-(g:Field)
RETURN DISTINCT f.name AS field, g.name AS same
ORDER BY field, same
