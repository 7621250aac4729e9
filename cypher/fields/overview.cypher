// Fields with how many tools take them and make them.
// params:
// access: read
// returns: field, type, aliases, producers, consumers, required
MATCH (f:Field)
RETURN f.name AS field, f.type AS type, f.aliases AS aliases,
       COUNT { MATCH (:Tool)-[:PRODUCES]->(f) } AS producers,
       COUNT { MATCH (:Tool)-[:REQUIRES]->(f) } AS consumers,
       COUNT { MATCH (:Tool)-[e:REQUIRES]->(f) WHERE e.required } AS required
ORDER BY field
