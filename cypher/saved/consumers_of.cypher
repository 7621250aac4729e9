// Who takes a field.
// params: field
// access: read
// returns: tool, required
MATCH (t:Tool)-[e:REQUIRES]->(f:Field {name: $field})
RETURN t.id AS tool, e.required AS required
ORDER BY tool
