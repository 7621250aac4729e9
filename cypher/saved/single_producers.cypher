// Fields that stand on one tool: its loss stops all their consumers.
// params:
// access: read
// returns: field, producer, consumers
MATCH (p:Tool)-[:PRODUCES]->(f:Field)
WITH f, count(p) AS producers, min(p.id) AS producer
WHERE producers = 1
MATCH (f)<-[e:REQUIRES]-(c:Tool)
WHERE e.required AND c.id <> producer
RETURN f.name AS field, producer, count(c) AS consumers
ORDER BY consumers DESC, field
