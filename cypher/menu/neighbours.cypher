// Active tools observed right before or after these, by what is left of their count after decay.
// params: ids
// access: read
// returns: id, neighbour, before, weight
UNWIND $ids AS id
MATCH (a:Tool {id: id})-[e:PRECEDES]-(b:Tool)
WHERE b.status = 'active'
RETURN a.id AS id, b.id AS neighbour, startNode(e).id = b.id AS before, coalesce(e.weight, e.count) AS weight
ORDER BY id, weight DESC, neighbour, before
