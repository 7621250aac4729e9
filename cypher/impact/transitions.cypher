// The observed transitions that begin or end at these tools, most often first.
// params: ids
// access: read
// returns: first, second, count, last_seen
MATCH (a:Tool)-[e:PRECEDES]->(b:Tool)
WHERE a.id IN $ids OR b.id IN $ids
RETURN a.id AS first, b.id AS second, e.count AS count, e.last_seen AS last_seen
ORDER BY count DESC, first, second
