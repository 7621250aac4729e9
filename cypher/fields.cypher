// Fields: who makes and takes them, their spellings, and what a person decided about them.

// name: consumers
// Active tools that take these fields, a field reviewed as the same, or one that is such a field.
// params: fields
// access: read
// returns: field, id, required
UNWIND $fields AS name
MATCH (f:Field {name: name})
OPTIONAL MATCH (f)-[:SAME_AS]-(same:Field)
WITH f, collect(same.name) AS same
OPTIONAL MATCH (f)<-[:IS_A]-(special:Field)
WITH f, same, collect(special.name) AS special
UNWIND [f.name] + same + special AS other
MATCH (:Field {name: other})<-[e:REQUIRES|ACCEPTS]-(t:Tool)
WHERE t.status = 'active'
RETURN DISTINCT f.name AS field, t.id AS id, type(e) = 'REQUIRES' AS required
ORDER BY field, id, required;

// name: declare
// Say that the values of a field are those of another: an assignee_id is a user_id.
// params: field, kind, by, at
// access: write
// returns:
MATCH (f:Field {name: $field})
MATCH (g:Field {name: $kind})
MERGE (f)-[e:IS_A]->(g)
SET e.reviewed_by = $by, e.at = $at;

// name: directed
// All fields of which a person said that their values are those of another.
// params:
// access: read
// returns: field, kind, reviewed_by, at
MATCH (f:Field)-[e:IS_A]->(g:Field)
RETURN f.name AS field, g.name AS kind, e.reviewed_by AS reviewed_by, e.at AS at
ORDER BY field, kind;

// name: flows
// Outputs and these inputs on both sides of observed transitions: what may have flowed.
// params: inputs
// access: read
// returns: output, input, output_type, input_type, count, pairs
MATCH (a:Tool)-[e:PRECEDES]->(b:Tool)
MATCH (a)-[:PRODUCES]->(f:Field)
MATCH (b)-[:REQUIRES]->(g:Field)
WHERE f.name <> g.name AND g.name IN $inputs
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
OPTIONAL MATCH (p:Tool)-[:PRODUCES]->(f)
WITH f, count(p) AS producers
OPTIONAL MATCH (c:Tool)-[e:REQUIRES|ACCEPTS]->(f)
RETURN f.name AS field, f.type AS type, f.aliases AS aliases, producers, count(c) AS consumers,
       sum(CASE WHEN type(e) = 'REQUIRES' THEN 1 ELSE 0 END) AS required
ORDER BY field;

// name: producers
// Active tools that produce these fields, a field reviewed as the same, or one that they are.
// params: fields
// access: read
// returns: field, id, evidence, count
UNWIND $fields AS name
MATCH (f:Field {name: name})
OPTIONAL MATCH (f)-[:SAME_AS]-(same:Field)
WITH f, collect(same.name) AS same
OPTIONAL MATCH (f)-[:IS_A]->(general:Field)
WITH f, same, collect(general.name) AS general
UNWIND [f.name] + same + general AS other
MATCH (:Field {name: other})<-[e:PRODUCES]-(t:Tool)
WHERE t.status = 'active'
RETURN DISTINCT f.name AS field, t.id AS id, e.evidence AS evidence, e.count AS count
ORDER BY field, id, evidence, count;

// name: retract
// Take back that the values of a field are those of another.
// params: field, kind
// access: write
// returns:
MATCH (:Field {name: $field})-[e:IS_A]->(:Field {name: $kind})
DELETE e;

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

// name: wanting
// Required inputs of active tools that FEEDS does not cover.
// params:
// access: read
// returns: id, service, field, type, resource, role
MATCH (t:Tool)-[r:REQUIRES]->(f:Field)
WHERE t.status = 'active'
OPTIONAL MATCH (t)<-[e:FEEDS]-(:Tool)
WHERE f.name IN e.fields
WITH t, r, f, count(e) AS fed
WHERE fed = 0
RETURN t.id AS id, t.service AS service, f.name AS field, f.type AS type, r.resource AS resource,
       r.role AS role
ORDER BY field, id;

// name: offering
// Which services have active tools that return a field and do not only change or delete something.
// params:
// access: read
// returns: field, type, service, tools
MATCH (t:Tool)-[:PRODUCES]->(f:Field)
WHERE t.status = 'active'
OPTIONAL MATCH (t)-[a:ACTS_ON]->(:Resource)
WITH f, t, coalesce(a.verb, 'act') AS verb
WHERE NOT verb IN ['update', 'delete']
RETURN f.name AS field, f.type AS type, t.service AS service, count(DISTINCT t) AS tools
ORDER BY field, service;

// name: taking
// The services whose tools take these fields, required or not.
// params: fields
// access: read
// returns: service
UNWIND $fields AS name
MATCH (:Field {name: name})<-[:REQUIRES|ACCEPTS]-(t:Tool)
RETURN DISTINCT t.service AS service
ORDER BY service;

// name: vocabulary
// All fields with type and aliases: the words in which states are spoken.
// params:
// access: read
// returns: field, type, aliases
MATCH (f:Field)
RETURN f.name AS field, f.type AS type, f.aliases AS aliases
ORDER BY field;
