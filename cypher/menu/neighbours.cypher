// Active tools observed right before or after these; the frontier takes the best few.
// params: ids
// access: read
// returns: id, neighbour, before, count
UNWIND $ids AS id
MATCH (a:Tool {id: id})-[e:PRECEDES]-(b:Tool)
WHERE b.status = 'active'
RETURN a.id AS id, b.id AS neighbour, startNode(e).id = b.id AS before, e.count AS count
ORDER BY id, count DESC, neighbour, before
