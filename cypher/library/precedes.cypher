// All observed transitions with what is left of their count after decay.
// params:
// access: read
// returns: first, second, count
MATCH (a:Tool)-[e:PRECEDES]->(b:Tool)
RETURN a.id AS first, b.id AS second, coalesce(e.weight, e.count) AS count
ORDER BY first, second
