// Outputs and inputs on both sides of observed transitions: what may have flowed.
// params:
// access: read
// returns: output, input, output_type, input_type, count, pairs
MATCH (a:Tool)-[e:PRECEDES]->(b:Tool)
MATCH (a)-[:PRODUCES]->(f:Field)
MATCH (b)-[r:REQUIRES]->(g:Field)
WHERE r.required AND f.name <> g.name
RETURN f.name AS output, g.name AS input, f.type AS output_type, g.type AS input_type,
       sum(e.count) AS count, count(e) AS pairs
ORDER BY count DESC, output, input
