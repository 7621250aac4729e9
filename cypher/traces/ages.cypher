// Every observed transition with its count and when it was last seen.
// params:
// access: read
// returns: first, second, count, last_seen
MATCH (a:Tool)-[e:PRECEDES]->(b:Tool)
RETURN a.id AS first, b.id AS second, e.count AS count, e.last_seen AS last_seen
ORDER BY first, second
