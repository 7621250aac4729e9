// The transitions that were observed most.
// params:
// access: read
// returns: first, second, count, last_seen
MATCH (a:Tool)-[e:PRECEDES]->(b:Tool)
RETURN a.id AS first, b.id AS second, e.count AS count, e.last_seen AS last_seen
ORDER BY count DESC, first, second
LIMIT 25
