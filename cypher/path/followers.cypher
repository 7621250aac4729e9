// Active tools observed right after these, most often first.
// params: ids
// access: read
// returns: id, next, count
UNWIND $ids AS id
MATCH (a:Tool {id: id})-[e:PRECEDES]->(b:Tool)
WHERE b.status = 'active'
RETURN a.id AS id, b.id AS next, e.count AS count
ORDER BY id, count DESC, next
