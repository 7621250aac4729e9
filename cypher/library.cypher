// The whole graph in a handful of reads, for training and for the snapshot.

// name: before
// All observed orders at any distance.
// params:
// access: read
// returns: first, second, count
MATCH (a:Tool)-[e:BEFORE]->(b:Tool)
RETURN a.id AS first, b.id AS second, e.count AS count
ORDER BY first, second;

// name: feeds
// All edges from producers to consumers.
// params:
// access: read
// returns: producer, consumer, fields, weight
MATCH (p:Tool)-[e:FEEDS]->(c:Tool)
RETURN p.id AS producer, c.id AS consumer, e.fields AS fields, e.weight AS weight
ORDER BY consumer, producer;

// name: gives
// Which resources the answer of every tool has.
// params:
// access: read
// returns: id, resource, role
MATCH (t:Tool)-[e:GIVES]->(r:Resource)
RETURN t.id AS id, r.id AS resource, e.role AS role
ORDER BY id, resource, role;

// name: identifies
// Which resource every field identifies.
// params:
// access: read
// returns: field, resource
MATCH (f:Field)-[:IDENTIFIES]->(r:Resource)
RETURN f.name AS field, r.id AS resource
ORDER BY field, resource;

// name: needs
// All inputs that a plan has to find: required ones, and those that identify a resource.
// params:
// access: read
// returns: id, field, required, resource, role
MATCH (t:Tool)-[e:REQUIRES|ACCEPTS]->(f:Field)
WHERE type(e) = 'REQUIRES' OR e.resource IS NOT NULL
RETURN t.id AS id, f.name AS field, type(e) = 'REQUIRES' AS required, e.resource AS resource,
       e.role AS role
ORDER BY id, field;

// name: precedes
// All observed transitions with what is left of their count after decay.
// params:
// access: read
// returns: first, second, count
MATCH (a:Tool)-[e:PRECEDES]->(b:Tool)
RETURN a.id AS first, b.id AS second, coalesce(e.weight, e.count) AS count
ORDER BY first, second;

// name: purposes
// What every tool does to which resource.
// params:
// access: read
// returns: id, verb, resource
MATCH (t:Tool)-[e:ACTS_ON]->(r:Resource)
RETURN t.id AS id, e.verb AS verb, r.id AS resource
ORDER BY id;

// name: steps
// Every successful step of every successful trajectory, also of those without a request.
// params:
// access: read
// returns: trajectory, idx, tool
MATCH (j:Trajectory)-[s:STEP]->(t:Tool)
WHERE s.ok AND j.success
RETURN j.id AS trajectory, s.idx AS idx, t.id AS tool
ORDER BY trajectory, idx;

// name: tools
// Every active tool with what features are made of, what a menu shows, and who may see it.
// params:
// access: read
// returns: id, name, title, description, effects, visibility, owner, scopes, service, family, frequency, entry_frequency, content_hash
MATCH (t:Tool)
WHERE t.status = 'active'
RETURN t.id AS id, t.name AS name, t.title AS title, t.description AS description,
       t.effects AS effects, t.visibility AS visibility, t.owner AS owner, t.scopes AS scopes,
       t.service AS service, t.family AS family, t.frequency AS frequency,
       t.entry_frequency AS entry_frequency, t.content_hash AS content_hash
ORDER BY id;
