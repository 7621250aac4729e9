// All pairs of fields reviewed as the same.
// params:
// access: read
// returns: field, same
MATCH (f:Field)-[:SAME_AS]->(g:Field)
RETURN f.name AS field, g.name AS same
ORDER BY field, same
