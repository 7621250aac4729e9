// All observed flows between fields.
// params:
// access: read
// returns: output, input, count, last_seen, weight
MATCH (f:Field)-[e:FLOWS]->(g:Field)
RETURN f.name AS output, g.name AS input, e.count AS count, e.last_seen AS last_seen,
       e.weight AS weight
ORDER BY output, input
