// Declare two fields to be the same.
// params: first, second, by, at
// access: write
// returns:
MATCH (f:Field {name: $first})
MATCH (g:Field {name: $second})
MERGE (f)-[e:SAME_AS]->(g)
SET e.reviewed_by = $by, e.at = $at
