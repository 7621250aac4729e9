// All reviewed pairs of fields, in the direction in which they were reviewed.
// params:
// access: read
// returns: first, second, reviewed_by, at
MATCH (a:Field)-[e:SAME_AS]->(b:Field)
RETURN a.name AS first, b.name AS second, e.reviewed_by AS reviewed_by, e.at AS at
ORDER BY first, second
