// Whom these tools were seen to run before, at any distance.
// params: ids
// access: read
// returns: first, second, count
UNWIND $ids AS tool
MATCH (a:Tool {id: tool})-[e:BEFORE]->(b:Tool)
RETURN a.id AS first, b.id AS second, e.count AS count
ORDER BY first, second
