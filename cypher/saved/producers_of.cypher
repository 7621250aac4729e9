// Who produces a field, and how that is known.
// params: field
// access: read
// returns: tool, evidence, count
MATCH (t:Tool)-[e:PRODUCES]->(f:Field {name: $field})
RETURN t.id AS tool, e.evidence AS evidence, e.count AS count
ORDER BY tool
