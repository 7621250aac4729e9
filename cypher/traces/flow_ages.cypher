// Every observed flow with its count and when it was last seen.
// params:
// access: read
// returns: output, input, count, last_seen
MATCH (f:Field)-[e:FLOWS]->(g:Field)
RETURN f.name AS output, g.name AS input, e.count AS count, e.last_seen AS last_seen
ORDER BY output, input
