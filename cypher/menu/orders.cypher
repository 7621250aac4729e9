// Who of these came before whom, at any distance.
// params: ids
// access: read
// returns: first, second, count
UNWIND $ids AS id
MATCH (a:Tool {id: id})-[e:BEFORE]->(b:Tool)
WHERE b.id IN $ids
RETURN a.id AS first, b.id AS second, e.count AS count
ORDER BY first, second
