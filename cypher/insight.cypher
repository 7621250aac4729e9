// Questions about the whole graph: its health, its families, paths, and what depends on a tool.

// name: inputs
// Every input of every tool.
// params:
// access: read
// returns: id, field, required
MATCH (t:Tool)-[e:REQUIRES|ACCEPTS]->(f:Field)
RETURN t.id AS id, f.name AS field, type(e) = 'REQUIRES' AS required
ORDER BY id, field;

// name: outputs
// Every output of every tool.
// params:
// access: read
// returns: id, field
MATCH (t:Tool)-[:PRODUCES]->(f:Field)
RETURN t.id AS id, f.name AS field
ORDER BY id, field;

// name: same
// All pairs of fields reviewed as the same.
// params:
// access: read
// returns: field, same
MATCH (f:Field)-[:SAME_AS]->(g:Field)
RETURN f.name AS field, g.name AS same
ORDER BY field, same;

// name: tools
// Every tool with what tells how healthy it is.
// params:
// access: read
// returns: id, description, family, status, successor, effects, verbs, frequency, calls, errors
MATCH (t:Tool)
OPTIONAL MATCH (t)-[a:ACTS_ON]->(:Resource)
WITH t, collect(DISTINCT a.verb) AS verbs
RETURN t.id AS id, t.description AS description, t.family AS family, t.status AS status,
       t.successor AS successor, t.effects AS effects, verbs, t.frequency AS frequency,
       t.calls AS calls, t.errors AS errors
ORDER BY id;

// name: families
// The families of the tools that a caller may see, with how many tools each has and how often they ran.
// params: team, scopes, read_only
// access: read
// returns: family, tools, frequency
MATCH (t:Tool)
WHERE visible(t)
RETURN coalesce(t.family, '') AS family, count(t) AS tools, sum(t.frequency) AS frequency
ORDER BY family;

// name: gives
// Which fields the families of visible tools produce, and with how many tools.
// params: team, scopes, read_only
// access: read
// returns: family, field, tools
MATCH (t:Tool)-[:PRODUCES]->(f:Field)
WHERE visible(t)
RETURN coalesce(t.family, '') AS family, f.name AS field, count(DISTINCT t) AS tools
ORDER BY family, field;

// name: needs
// Which fields the families of visible tools cannot do without, and how many of their tools.
// params: team, scopes, read_only
// access: read
// returns: family, field, tools
MATCH (t:Tool)-[:REQUIRES]->(f:Field)
WHERE visible(t)
RETURN coalesce(t.family, '') AS family, f.name AS field, count(DISTINCT t) AS tools
ORDER BY family, field;

// name: travelled
// How often agents went from a tool of one family to a tool of another, both visible.
// params: team, scopes, read_only
// access: read
// returns: first, second, count
MATCH (a:Tool)-[e:PRECEDES]->(b:Tool)
WHERE visible(a)
  AND visible(b)
RETURN coalesce(a.family, '') AS first, coalesce(b.family, '') AS second, sum(e.count) AS count
ORDER BY first, second;

// name: examples
// The newest requests that were answered with one of these tools.
// params: ids
// access: read
// returns: id, request, success, time
UNWIND $ids AS tool
MATCH (j:Trajectory)-[:STEP]->(t:Tool {id: tool})
RETURN DISTINCT j.id AS id, j.request AS request, j.success AS success,
       coalesce(j.time, '') AS time
ORDER BY time DESC, id
LIMIT 10;

// name: transitions
// The observed transitions that begin or end at these tools, most often first.
// params: ids
// access: read
// returns: first, second, count, last_seen
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[e:PRECEDES]-(:Tool)
RETURN DISTINCT startNode(e).id AS first, endNode(e).id AS second, e.count AS count,
       e.last_seen AS last_seen
ORDER BY count DESC, first, second;

// name: usage
// How many trajectories have one of these tools as a step, and when the last one was.
// params: ids
// access: read
// returns: trajectories, newest
UNWIND $ids AS tool
MATCH (j:Trajectory)-[:STEP]->(t:Tool {id: tool})
RETURN count(DISTINCT j.id) AS trajectories, max(j.time) AS newest;

// name: fed
// Active tools that these feed, and the inputs that they make for them.
// params: ids
// access: read
// returns: id, next, fields, weight
UNWIND $ids AS id
MATCH (a:Tool {id: id})-[e:FEEDS]->(b:Tool)
WHERE b.status = 'active'
RETURN a.id AS id, b.id AS next, e.fields AS fields, e.weight AS weight
ORDER BY id, next;

// name: feeds
// Every edge between active tools, and the inputs that the first makes for the second.
// params:
// access: read
// returns: id, next, fields
MATCH (a:Tool {status: 'active'})-[e:FEEDS]->(b:Tool {status: 'active'})
RETURN a.id AS id, b.id AS next, e.fields AS fields
ORDER BY id, next;

// name: followers
// Active tools observed right after these, most often first.
// params: ids
// access: read
// returns: id, next, count
UNWIND $ids AS id
MATCH (a:Tool {id: id})-[e:PRECEDES]->(b:Tool)
WHERE b.status = 'active'
RETURN a.id AS id, b.id AS next, e.count AS count
ORDER BY id, count DESC, next;

// name: edges_into
// What feeds these tools, as anybody would ask for it; only active tools are offered anywhere.
// params: ids
// access: read
// returns: producer, consumer, fields
UNWIND $ids AS id
MATCH (p:Tool {status: 'active'})-[e:FEEDS]->(c:Tool {id: id})
RETURN p.id AS producer, c.id AS consumer, e.fields AS fields
ORDER BY consumer, producer;

// name: same_fields
// Which of these tools make what others of them require under the same name.
// params: ids
// access: read
// returns: producer, consumer, field
UNWIND $ids AS id
MATCH (p:Tool {id: id})-[:PRODUCES]->(f:Field)<-[:REQUIRES]-(c:Tool)
WHERE c.id IN $ids
RETURN p.id AS producer, c.id AS consumer, f.name AS field
ORDER BY consumer, producer, field;

// name: purposes
// Active tools with what each does to which resource.
// params:
// access: read
// returns: id, name, family, effects, verb, resource
MATCH (t:Tool {status: 'active'})
OPTIONAL MATCH (t)-[e:ACTS_ON]->(r:Resource)
RETURN t.id AS id, t.name AS name, t.family AS family, t.effects AS effects, e.verb AS verb,
       r.name AS resource
ORDER BY id, resource;
