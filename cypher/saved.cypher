// Questions for people: `spm cypher --list` lists them, `spm cypher --saved NAME` runs one. Those
// with `visible(tool)` that read no edge of all callers (FEEDS) can be asked by every caller, the
// others by who sees everything. A tool is
// given by its id or its name, a resource too. docs/dependencies.md shows an answer of each.

// name: alternatives
// Who else could make what a tool makes for others, and for how many of them.
// params: tool, team, scopes, read_only
// access: read
// returns: field, alternative, effects, consumers
MATCH (t:Tool)
WHERE (t.id = $tool OR t.name = $tool) AND visible(t)
MATCH (t)-[e:FEEDS]->(c:Tool)
WHERE visible(c)
UNWIND e.fields AS field
MATCH (c)<-[other:FEEDS]-(p:Tool)
WHERE p.id <> t.id AND field IN other.fields AND visible(p)
RETURN field, p.id AS alternative, p.effects AS effects, count(DISTINCT c.id) AS consumers
ORDER BY field, consumers DESC, alternative;

// name: chains
// Three tools in a row that end in a tool, the strongest first.
// params: tool, team, scopes, read_only
// access: read
// returns: chain, strength
MATCH (t:Tool)
WHERE (t.id = $tool OR t.name = $tool) AND visible(t)
MATCH chain = (a:Tool)-[e:FEEDS]->(b:Tool)-[f:FEEDS]->(t)
WHERE a.id <> t.id AND visible(a) AND visible(b)
RETURN chain, round(e.weight * f.weight, 3) AS strength
ORDER BY strength DESC, a.id, b.id, t.id
LIMIT 25;

// name: consumers_of
// Who takes a field, and who cannot run without it.
// params: field, team, scopes, read_only
// access: read
// returns: tool, required
MATCH (t:Tool)-[e:REQUIRES|ACCEPTS]->(f:Field {name: $field})
WHERE visible(t)
RETURN t.id AS tool, type(e) = 'REQUIRES' AS required
ORDER BY required DESC, tool;

// name: cross_service
// Which service hands what to which other.
// params: team, scopes, read_only
// access: read
// returns: producer, consumer, fields, edges
MATCH (p:Tool)-[e:FEEDS]->(c:Tool)
WHERE p.service <> c.service AND visible(p) AND visible(c)
UNWIND e.fields AS field
WITH p.service AS producer, c.service AS consumer, field, e
ORDER BY field
RETURN producer, consumer, collect(DISTINCT field) AS fields, count(DISTINCT e) AS edges
ORDER BY edges DESC, producer, consumer;

// name: cycles
// Tools that feed each other: what one needs, the other makes, and back.
// params: team, scopes, read_only
// access: read
// returns: first, gives, second, returns
MATCH (a:Tool)-[e:FEEDS]->(b:Tool)-[f:FEEDS]->(a)
WHERE a.id < b.id AND visible(a) AND visible(b)
RETURN a.id AS first, e.fields AS gives, b.id AS second, f.fields AS returns
ORDER BY first, second
LIMIT 100;

// name: depends_on
// What the tools of a team need from tools of other teams.
// params: owner, team, scopes, read_only
// access: read
// returns: tool, field, producer, owned_by, required
MATCH (p:Tool)-[e:FEEDS]->(c:Tool {owner: $owner})
WHERE p.owner <> $owner AND visible(p) AND visible(c)
UNWIND e.fields AS field
MATCH (c)-[need:REQUIRES|ACCEPTS]->(:Field {name: field})
RETURN c.id AS tool, field, p.id AS producer, p.owner AS owned_by,
       type(need) = 'REQUIRES' AS required
ORDER BY tool, field, producer;

// name: destructive
// Tools that destroy, by what they destroy.
// params: team, scopes, read_only
// access: read
// returns: resource, tools
MATCH (t:Tool {effects: 'destructive'})
WHERE visible(t)
OPTIONAL MATCH (t)-[:ACTS_ON]->(r:Resource)
WITH coalesce(r.id, t.service) AS resource, t.name AS tool
ORDER BY resource, tool
RETURN resource, collect(tool) AS tools
ORDER BY resource;

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
// Which tools a tool feeds, and with which inputs.
// params: tool, team, scopes, read_only
// access: read
// returns: consumer, fields, evidence
MATCH (t:Tool)
WHERE (t.id = $tool OR t.name = $tool) AND visible(t)
MATCH (t)-[e:FEEDS]->(c:Tool)
WHERE visible(c)
RETURN c.id AS consumer, e.fields AS fields, e.evidence AS evidence
ORDER BY consumer;

// name: fed_by
// Which tools can run before a tool, what they make for it, and how that is known.
// params: tool, team, scopes, read_only
// access: read
// returns: producer, fields, effects, evidence, weight
MATCH (t:Tool)
WHERE (t.id = $tool OR t.name = $tool) AND visible(t)
MATCH (p:Tool)-[e:FEEDS]->(t)
WHERE visible(p)
RETURN p.id AS producer, e.fields AS fields, p.effects AS effects, e.evidence AS evidence,
       e.weight AS weight
ORDER BY weight DESC, producer;

// name: hubs
// Resources that most tools cannot do without, and how many tools give them.
// params: team, scopes, read_only
// access: read
// returns: resource, needed_by, given_by
MATCH (t:Tool)-[e:REQUIRES]->(:Field)
WHERE e.resource IS NOT NULL AND visible(t)
WITH e.resource AS resource, count(DISTINCT t.id) AS needed_by
ORDER BY needed_by DESC, resource
LIMIT 25
OPTIONAL MATCH (g:Tool)-[:GIVES]->(:Resource {id: resource})
WHERE visible(g)
RETURN resource, needed_by, count(DISTINCT g.id) AS given_by
ORDER BY needed_by DESC, resource;

// name: inferred
// The weakest edges: nobody declared them, and no trace showed them.
// params: team, scopes, read_only
// access: read
// returns: producer, fields, consumer, weight
MATCH (p:Tool)-[e:FEEDS {evidence: 'inferred'}]->(c:Tool)
WHERE visible(p) AND visible(c)
RETURN p.id AS producer, e.fields AS fields, c.id AS consumer, e.weight AS weight
ORDER BY weight, producer, consumer
LIMIT 100;

// name: makers_of
// Which tools give a resource: the thing itself, or a reference to it.
// params: resource, team, scopes, read_only
// access: read
// returns: tool, verb, role, many, evidence
MATCH (t:Tool)-[e:GIVES]->(r:Resource)
WHERE (r.id = $resource OR r.name = $resource) AND visible(t)
OPTIONAL MATCH (t)-[a:ACTS_ON]->(:Resource)
RETURN t.id AS tool, a.verb AS verb, CASE e.role WHEN '' THEN 'itself' ELSE e.role END AS role,
       e.many AS many, e.evidence AS evidence
ORDER BY tool, role;

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
// Who gives a field, and how that is known.
// params: field, team, scopes, read_only
// access: read
// returns: tool, evidence
MATCH (t:Tool)-[e:PRODUCES]->(f:Field {name: $field})
WHERE visible(t)
RETURN t.id AS tool, e.evidence AS evidence
ORDER BY tool;

// name: single_producers
// Tools on which others stand alone: without them a required input has no maker.
// params: team, scopes, read_only
// access: read
// returns: producer, field, consumers
MATCH (p:Tool)-[e:FEEDS]->(c:Tool)
WHERE visible(p) AND visible(c)
UNWIND e.fields AS field
MATCH (c)-[:REQUIRES]->(:Field {name: field})
WITH c, field, collect(p.id) AS producers
WHERE size(producers) = 1
RETURN producers[0] AS producer, field, count(c) AS consumers
ORDER BY consumers DESC, producer, field;

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

// name: unmade_inputs
// Required inputs that no tool makes for their tools: somebody has to say them.
// params: team, scopes, read_only
// access: read
// returns: field, tools, example
MATCH (t:Tool)
WHERE visible(t)
OPTIONAL MATCH (t)<-[e:FEEDS]-(p:Tool)
WHERE visible(p)
WITH t, collect(e.fields) AS made
MATCH (t)-[:REQUIRES]->(f:Field)
WHERE NOT any(fields IN made WHERE f.name IN fields)
RETURN f.name AS field, count(t) AS tools, min(t.id) AS example
ORDER BY tools DESC, field;

// name: unreachable_without
// Tools that lose the only maker of a required input when a tool goes.
// params: tool, team, scopes, read_only
// access: read
// returns: consumer, field
MATCH (t:Tool)
WHERE (t.id = $tool OR t.name = $tool) AND visible(t)
MATCH (t)-[e:FEEDS]->(c:Tool)
WHERE visible(c)
UNWIND e.fields AS field
MATCH (c)-[:REQUIRES]->(:Field {name: field})
WHERE NOT EXISTS {
  MATCH (p:Tool)-[other:FEEDS]->(c)
  WHERE p.id <> t.id AND field IN other.fields AND visible(p)
}
RETURN c.id AS consumer, field
ORDER BY consumer, field;

// name: unused_by
// Active tools that no trace of a source used. A source is what traces say, or who sent them.
// params: source
// access: read
// returns: tool, service
MATCH (t:Tool)
WHERE t.status = 'active'
  AND NOT EXISTS { MATCH (j:Trajectory)-[:STEP]->(t) WHERE j.source = $source }
RETURN t.id AS tool, t.service AS service
ORDER BY tool;

// name: unused_tools
// Active tools that no trajectory used.
// params:
// access: read
// returns: tool, service
MATCH (t:Tool)
WHERE t.status = 'active' AND t.frequency = 0
RETURN t.id AS tool, t.service AS service
ORDER BY tool;

// name: verbs_on
// What can be done with a resource: who lists, reads, changes and deletes it.
// params: resource, team, scopes, read_only
// access: read
// returns: verb, tool, effects
MATCH (t:Tool)-[e:ACTS_ON]->(r:Resource)
WHERE (r.id = $resource OR r.name = $resource) AND visible(t)
RETURN e.verb AS verb, t.id AS tool, t.effects AS effects
ORDER BY verb, tool;

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
