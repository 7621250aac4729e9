// Which service provides these tools.
// params: ids
// access: read
// returns: id, service
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[:PROVIDED_BY]->(s:Service)
RETURN t.id AS id, s.name AS service
ORDER BY id, service
