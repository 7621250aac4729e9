// Which tools a tool feeds, and through which field.
// params: tool
// access: read
// returns: field, consumer
MATCH (t:Tool)-[:PRODUCES]->(f:Field)<-[e:REQUIRES]-(c:Tool)
WHERE (t.id = $tool OR t.name = $tool) AND e.required AND c.id <> t.id
RETURN f.name AS field, c.id AS consumer
ORDER BY field, consumer
