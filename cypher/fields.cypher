// Fields: who makes and takes them, their spellings, and which of them a person declared to be the same.

// name: consumers
// Active tools that take these fields, or a field reviewed as the same.
// params: fields
// access: read
// returns: field, id, required
UNWIND $fields AS name
MATCH (f:Field {name: name})-[:SAME_AS*0..1]-(g:Field)<-[e:REQUIRES|ACCEPTS]-(t:Tool)
WHERE t.status = 'active'
RETURN DISTINCT f.name AS field, t.id AS id, type(e) = 'REQUIRES' AS required
ORDER BY field, id, required;

// name: flows
// Outputs and inputs on both sides of observed transitions: what may have flowed.
// params:
// access: read
// returns: output, input, output_type, input_type, count, pairs
MATCH (a:Tool)-[e:PRECEDES]->(b:Tool)
MATCH (a)-[:PRODUCES]->(f:Field)
MATCH (b)-[:REQUIRES]->(g:Field)
WHERE f.name <> g.name
RETURN f.name AS output, g.name AS input, f.type AS output_type, g.type AS input_type,
       sum(e.count) AS count, count(e) AS pairs
ORDER BY count DESC, output, input;

// name: merge
// Declare two fields to be the same.
// params: first, second, by, at
// access: write
// returns:
MATCH (f:Field {name: $first})
MATCH (g:Field {name: $second})
MERGE (f)-[e:SAME_AS]->(g)
SET e.reviewed_by = $by, e.at = $at;

// name: observed
// Outputs whose values were seen to become inputs of another name, and how often.
// params:
// access: read
// returns: output, input, count, weight
MATCH (f:Field)-[e:FLOWS]->(g:Field)
RETURN f.name AS output, g.name AS input, e.count AS count, coalesce(e.weight, e.count) AS weight
ORDER BY output, input;

// name: overview
// Fields with how many tools take them and make them.
// params:
// access: read
// returns: field, type, aliases, producers, consumers, required
MATCH (f:Field)
RETURN f.name AS field, f.type AS type, f.aliases AS aliases,
       COUNT { MATCH (:Tool)-[:PRODUCES]->(f) } AS producers,
       COUNT { MATCH (:Tool)-[:REQUIRES|ACCEPTS]->(f) } AS consumers,
       COUNT { MATCH (:Tool)-[:REQUIRES]->(f) } AS required
ORDER BY field;

// name: producers
// Active tools that produce these fields, or a field reviewed as the same.
// params: fields
// access: read
// returns: field, id, evidence, count
UNWIND $fields AS name
MATCH (f:Field {name: name})-[:SAME_AS*0..1]-(g:Field)<-[e:PRODUCES]-(t:Tool)
WHERE t.status = 'active'
RETURN DISTINCT f.name AS field, t.id AS id, e.evidence AS evidence, e.count AS count
ORDER BY field, id, evidence, count;

// name: reviewed
// All pairs of fields that a person declared to be the same.
// params:
// access: read
// returns: field, same, reviewed_by, at
MATCH (f:Field)-[e:SAME_AS]->(g:Field)
RETURN f.name AS field, g.name AS same, e.reviewed_by AS reviewed_by, e.at AS at
ORDER BY field, same;

// name: same
// Fields reviewed as the same, in both directions.
// params: fields
// access: read
// returns: field, same
UNWIND $fields AS name
MATCH (f:Field {name: name})-[:SAME_AS]-(g:Field)
RETURN DISTINCT f.name AS field, g.name AS same
ORDER BY field, same;

// name: split
// Take back that two fields are the same.
// params: first, second
// access: write
// returns:
MATCH (f:Field {name: $first})-[e:SAME_AS]-(g:Field {name: $second})
DELETE e;

// name: vocabulary
// All fields with type and aliases: the words in which states are spoken.
// params:
// access: read
// returns: field, type, aliases
MATCH (f:Field)
RETURN f.name AS field, f.type AS type, f.aliases AS aliases
ORDER BY field;
