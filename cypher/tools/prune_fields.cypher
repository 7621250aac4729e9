// Drop fields that no tool requires or produces any more, unless a person said what they are the
// same as; what flowed through them is gone with them.
// params:
// access: write
// returns:
MATCH (f:Field)
WHERE NOT (:Tool)-[:REQUIRES|PRODUCES]->(f) AND NOT (f)-[:SAME_AS]-(:Field)
DETACH DELETE f
