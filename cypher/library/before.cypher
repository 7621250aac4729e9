// All observed orders at any distance.
// params:
// access: read
// returns: first, second, count
MATCH (a:Tool)-[e:BEFORE]->(b:Tool)
RETURN a.id AS first, b.id AS second, e.count AS count
ORDER BY first, second
