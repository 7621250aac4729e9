// Outputs whose values were seen to become inputs of another name, and how often.
// params:
// access: read
// returns: output, input, count, weight
MATCH (f:Field)-[e:FLOWS]->(g:Field)
RETURN f.name AS output, g.name AS input, e.count AS count, coalesce(e.weight, e.count) AS weight
ORDER BY output, input
