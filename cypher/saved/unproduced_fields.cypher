// Required fields that no tool produces: somebody has to say them.
// params:
// access: read
// returns: field, type, consumers
MATCH (f:Field)<-[e:REQUIRES]-(t:Tool)
WHERE e.required AND NOT (f)<-[:PRODUCES]-(:Tool)
RETURN f.name AS field, f.type AS type, count(t) AS consumers
ORDER BY consumers DESC, field
