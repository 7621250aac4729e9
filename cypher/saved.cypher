// Questions for people: `spm cypher --list` lists them, `spm cypher --saved NAME` runs one. Those
// with `visible(tool)` can be asked by every caller, the others by who sees everything.

// name: consumers_of
// Who takes a field.
// params: field, team, scopes, read_only
// access: read
// returns: tool, required
MATCH (t:Tool)-[e:REQUIRES]->(f:Field {name: $field})
WHERE visible(t)
RETURN t.id AS tool, e.required AS required
ORDER BY tool;

// name: effects
// What tools do to the world, by service.
// params: team, scopes, read_only
// access: read
// returns: service, effects, tools
MATCH (t:Tool)-[:PROVIDED_BY]->(s:Service)
WHERE visible(t)
RETURN s.name AS service, t.effects AS effects, count(t) AS tools
ORDER BY service, effects;

// name: feeds
// Which tools a tool feeds, and through which field.
// params: tool, team, scopes, read_only
// access: read
// returns: field, consumer
MATCH (t:Tool)-[:PRODUCES]->(f:Field)<-[e:REQUIRES]-(c:Tool)
WHERE (t.id = $tool OR t.name = $tool) AND e.required AND c.id <> t.id AND visible(t) AND visible(c)
RETURN f.name AS field, c.id AS consumer
ORDER BY field, consumer;

// name: most_travelled
// The transitions that were observed most.
// params:
// access: read
// returns: first, second, count, last_seen
MATCH (a:Tool)-[e:PRECEDES]->(b:Tool)
RETURN a.id AS first, b.id AS second, e.count AS count, e.last_seen AS last_seen
ORDER BY count DESC, first, second
LIMIT 25;

// name: producers_of
// Who produces a field, and how that is known.
// params: field
// access: read
// returns: tool, evidence, count
MATCH (t:Tool)-[e:PRODUCES]->(f:Field {name: $field})
RETURN t.id AS tool, e.evidence AS evidence, e.count AS count
ORDER BY tool;

// name: single_producers
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
ORDER BY consumers DESC, field;

// name: trajectories_of
// Requests that were solved with a tool.
// params: tool
// access: read
// returns: id, request, success
MATCH (j:Trajectory)-[:STEP]->(t:Tool)
WHERE t.id = $tool OR t.name = $tool
RETURN DISTINCT j.id AS id, j.request AS request, j.success AS success
ORDER BY id
LIMIT 50;

// name: unproduced_fields
// Required fields that no tool produces: somebody has to say them.
// params:
// access: read
// returns: field, type, consumers
MATCH (f:Field)<-[e:REQUIRES]-(t:Tool)
WHERE e.required AND NOT (f)<-[:PRODUCES]-(:Tool)
RETURN f.name AS field, f.type AS type, count(t) AS consumers
ORDER BY consumers DESC, field;

// name: unused_tools
// Active tools that no trajectory used.
// params:
// access: read
// returns: tool, service
MATCH (t:Tool)
WHERE t.status = 'active' AND t.frequency = 0
RETURN t.id AS tool, t.service AS service
ORDER BY tool;

// name: versions
// All versions of a tool, old ones included.
// params: tool
// access: read
// returns: id, version, published, requires, produces
MATCH (v:ToolVersion)
WHERE v.tool_id = $tool OR v.name = $tool
RETURN v.tool_id AS id, v.version AS version, v.published AS published, v.requires AS requires,
       v.produces AS produces
ORDER BY id, published, version;
