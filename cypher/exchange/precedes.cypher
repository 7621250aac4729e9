// The observed transitions from these tools.
// params: ids
// access: read
// returns: first, second, count, last_seen, weight
UNWIND $ids AS tool
MATCH (a:Tool {id: tool})-[e:PRECEDES]->(b:Tool)
RETURN a.id AS first, b.id AS second, e.count AS count, e.last_seen AS last_seen,
       e.weight AS weight
ORDER BY first, second
