// The observed transitions that begin or end at these tools, most often first.
// params: ids
// access: read
// returns: first, second, count, last_seen
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[e:PRECEDES]-(:Tool)
RETURN DISTINCT startNode(e).id AS first, endNode(e).id AS second, e.count AS count,
       e.last_seen AS last_seen
ORDER BY count DESC, first, second
