// Which family these tools belong to.
// params: ids
// access: read
// returns: id, family
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[:IN_FAMILY]->(f:Family)
RETURN t.id AS id, f.name AS family
ORDER BY id, family
