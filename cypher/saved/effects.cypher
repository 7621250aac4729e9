// What tools do to the world, by service.
// params:
// access: read
// returns: service, effects, tools
MATCH (t:Tool)-[:PROVIDED_BY]->(s:Service)
RETURN s.name AS service, t.effects AS effects, count(t) AS tools
ORDER BY service, effects
