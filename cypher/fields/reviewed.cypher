// All pairs of fields that a person declared to be the same.
// params:
// access: read
// returns: field, same, reviewed_by, at
MATCH (f:Field)-[e:SAME_AS]->(g:Field)
RETURN f.name AS field, g.name AS same, e.reviewed_by AS reviewed_by, e.at AS at
ORDER BY field, same
