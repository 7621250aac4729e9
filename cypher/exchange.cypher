// Export and import of a whole registry: each kind of node and relationship, read and written.

// name: before
// Whom these tools were seen to run before, at any distance.
// params: ids
// access: read
// returns: first, second, count
UNWIND $ids AS tool
MATCH (a:Tool {id: tool})-[e:BEFORE]->(b:Tool)
RETURN a.id AS first, b.id AS second, e.count AS count
ORDER BY first, second;

// name: is_a
// All fields that a person declared to be another, with who did.
// params:
// access: read
// returns: field, kind, reviewed_by, at
MATCH (f:Field)-[e:IS_A]->(g:Field)
RETURN f.name AS field, g.name AS kind, e.reviewed_by AS reviewed_by, e.at AS at
ORDER BY field, kind;

// name: hands
// Whose outputs became whose inputs, as these tools were seen to hand them on.
// params: ids
// access: read
// returns: producer, consumer, output, input, count, last_seen
UNWIND $ids AS tool
MATCH (p:Tool {id: tool})-[e:HANDS]->(c:Tool)
RETURN p.id AS producer, c.id AS consumer, e.output AS output, e.input AS input,
       e.count AS count, e.last_seen AS last_seen
ORDER BY producer, consumer, output, input;

// name: put_is_a
// Write directed decisions about fields as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (f:Field {name: row.field})
MATCH (g:Field {name: row.kind})
MERGE (f)-[e:IS_A]->(g)
SET e.reviewed_by = row.reviewed_by, e.at = row.at;

// name: put_hands
// Write whose outputs became whose inputs, with counts.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (p:Tool {id: row.producer})
MATCH (c:Tool {id: row.consumer})
MERGE (p)-[e:HANDS {output: row.output, input: row.input}]->(c)
SET e.count = row.count, e.last_seen = row.last_seen;

// name: families
// All families.
// params:
// access: read
// returns: name
MATCH (f:Family)
RETURN f.name AS name
ORDER BY name;

// name: fields
// All fields.
// params:
// access: read
// returns: name, type, aliases
MATCH (f:Field)
RETURN f.name AS name, f.type AS type, f.aliases AS aliases
ORDER BY name;

// name: flows
// All observed flows between fields.
// params:
// access: read
// returns: output, input, count, last_seen, weight
MATCH (f:Field)-[e:FLOWS]->(g:Field)
RETURN f.name AS output, g.name AS input, e.count AS count, e.last_seen AS last_seen,
       e.weight AS weight
ORDER BY output, input;

// name: has_version
// Which versions these tools are linked to; versions of a removed tool are linked to nothing.
// params: ids
// access: read
// returns: id, version
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[:HAS_VERSION]->(v:ToolVersion)
RETURN t.id AS id, v.id AS version
ORDER BY id, version;

// name: in_family
// Which family these tools belong to.
// params: ids
// access: read
// returns: id, family
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[:IN_FAMILY]->(f:Family)
RETURN t.id AS id, f.name AS family
ORDER BY id, family;

// name: observed
// The ids of all trajectories.
// params:
// access: read
// returns: id
MATCH (j:Trajectory)
RETURN j.id AS id
ORDER BY id;

// name: precedes
// The observed transitions from these tools.
// params: ids
// access: read
// returns: first, second, count, last_seen, weight
UNWIND $ids AS tool
MATCH (a:Tool {id: tool})-[e:PRECEDES]->(b:Tool)
RETURN a.id AS first, b.id AS second, e.count AS count, e.last_seen AS last_seen,
       e.weight AS weight
ORDER BY first, second;

// name: produces
// What these tools give, and how that is known.
// params: ids
// access: read
// returns: id, field, evidence, count
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[e:PRODUCES]->(f:Field)
RETURN t.id AS id, f.name AS field, e.evidence AS evidence, e.count AS count
ORDER BY id, field;

// name: provided_by
// Which service provides these tools.
// params: ids
// access: read
// returns: id, service
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[:PROVIDED_BY]->(s:Service)
RETURN t.id AS id, s.name AS service
ORDER BY id, service;

// name: published
// The tools that have versions, removed tools included.
// params:
// access: read
// returns: id
MATCH (v:ToolVersion)
RETURN DISTINCT v.tool_id AS id
ORDER BY id;

// name: put_before
// Write who was seen before whom, with counts.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (a:Tool {id: row.first})
MATCH (b:Tool {id: row.second})
MERGE (a)-[e:BEFORE]->(b)
SET e.count = row.count;

// name: put_families
// Write families as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (f:Family {name: row.name});

// name: put_fields
// Write fields as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (f:Field {name: row.name})
SET f.type = row.type, f.aliases = row.aliases;

// name: put_flows
// Write observed flows with their counts.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (f:Field {name: row.output})
MATCH (g:Field {name: row.input})
MERGE (f)-[e:FLOWS]->(g)
SET e.count = row.count, e.last_seen = row.last_seen, e.weight = row.weight;

// name: put_has_version
// Link tools to their versions.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (v:ToolVersion {id: row.version})
MERGE (t)-[:HAS_VERSION]->(v);

// name: put_in_family
// Link tools to their families.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (f:Family {name: row.family})
MERGE (t)-[:IN_FAMILY]->(f);

// name: put_precedes
// Write observed transitions with their counts.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (a:Tool {id: row.first})
MATCH (b:Tool {id: row.second})
MERGE (a)-[e:PRECEDES]->(b)
SET e.count = row.count, e.last_seen = row.last_seen, e.weight = row.weight;

// name: put_produces
// Link tools to what they give, with the evidence and its count.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (f:Field {name: row.field})
MERGE (t)-[e:PRODUCES]->(f)
SET e.evidence = row.evidence, e.count = row.count;

// name: put_provided_by
// Link tools to their services.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (s:Service {name: row.service})
MERGE (t)-[:PROVIDED_BY]->(s);

// name: put_requires
// Link tools to what they take: REQUIRES what a call must have, ACCEPTS the rest.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (f:Field {name: row.field})
FOREACH (_ IN CASE WHEN row.required THEN [1] ELSE [] END |
  MERGE (t)-[e:REQUIRES]->(f)
  SET e.resource = row.resource, e.role = row.role
)
FOREACH (_ IN CASE WHEN row.required THEN [] ELSE [1] END |
  MERGE (t)-[e:ACCEPTS]->(f)
  SET e.resource = row.resource, e.role = row.role
);

// name: put_same_as
// Write reviewed pairs of fields as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (a:Field {name: row.first})
MATCH (b:Field {name: row.second})
MERGE (a)-[e:SAME_AS]->(b)
SET e.reviewed_by = row.reviewed_by, e.at = row.at;

// name: put_services
// Write services as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (s:Service {name: row.name})
SET s.title = row.title, s.description = row.description, s.owner = row.owner,
    s.source = row.source, s.digest = row.digest, s.links = row.links, s.map = row.map,
    s.access = row.access, s.etag = row.etag;

// name: put_steps
// Link trajectories to the tools they called, in order.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (j:Trajectory {id: row.trajectory})
MATCH (t:Tool {id: row.tool})
MERGE (j)-[s:STEP {idx: row.idx}]->(t)
SET s.ok = row.ok;

// name: put_tools
// Write tools as an export has them, counters and times included.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (t:Tool {id: row.id})
SET t.name = row.name, t.key = row.key, t.title = row.title, t.description = row.description,
    t.search_parts = row.search_parts, t.version = row.version,
    t.content_hash = row.content_hash,
    t.service = row.service, t.family = row.family, t.status = row.status,
    t.successor = row.successor, t.owner = row.owner, t.visibility = row.visibility,
    t.scopes = row.scopes, t.effects = row.effects, t.frequency = row.frequency,
    t.entry_frequency = row.entry_frequency, t.calls = row.calls, t.errors = row.errors,
    t.registered = row.registered, t.updated = row.updated,
    t.approved_hash = row.approved_hash, t.approved_by = row.approved_by,
    t.approved_at = row.approved_at, t.effects_reason = row.effects_reason,
    t.effects_by = row.effects_by, t.effects_at = row.effects_at,
    t.source_effects = row.source_effects, t.source_effects_reason = row.source_effects_reason,
    t.access = row.access;

// name: put_trajectories
// Write trajectories as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (j:Trajectory {id: row.id})
SET j.request = row.request, j.source = row.source, j.success = row.success, j.time = row.time,
    j.path = row.path, j.pruned = row.pruned;

// name: put_versions
// Write versions as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (v:ToolVersion {id: row.id})
SET v.tool_id = row.tool_id, v.name = row.name, v.version = row.version, v.number = row.number,
    v.content_hash = row.content_hash, v.definition = row.definition,
    v.requires = row.requires, v.produces = row.produces, v.published = row.published;

// name: requires
// What these tools take.
// params: ids
// access: read
// returns: id, field, required, resource, role
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[e:REQUIRES|ACCEPTS]->(f:Field)
RETURN t.id AS id, f.name AS field, type(e) = 'REQUIRES' AS required, e.resource AS resource,
       e.role AS role
ORDER BY id, field;

// name: resume
// Go on counting revisions where an exported registry stopped, never backwards.
// params: revision
// access: write
// returns:
MATCH (r:Registry {id: 'registry'})
SET r.revision = CASE WHEN $revision > r.revision THEN $revision ELSE r.revision END;

// name: same_as
// All reviewed pairs of fields, in the direction in which they were reviewed.
// params:
// access: read
// returns: first, second, reviewed_by, at
MATCH (a:Field)-[e:SAME_AS]->(b:Field)
RETURN a.name AS first, b.name AS second, e.reviewed_by AS reviewed_by, e.at AS at
ORDER BY first, second;

// name: services
// All services.
// params:
// access: read
// returns: name, title, description, owner, source, digest, links, map, access, etag
MATCH (s:Service)
RETURN s.name AS name, s.title AS title, s.description AS description, s.owner AS owner,
       s.source AS source, s.digest AS digest, s.links AS links, s.map AS map,
       s.access AS access, s.etag AS etag
ORDER BY name;

// name: steps
// The steps of these trajectories, failed ones included.
// params: ids
// access: read
// returns: trajectory, idx, tool, ok
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})-[s:STEP]->(t:Tool)
RETURN j.id AS trajectory, s.idx AS idx, t.id AS tool, s.ok AS ok
ORDER BY trajectory, idx, tool;

// name: tools
// Everything that is kept on these tools, counters and times included, but for their vectors.
// params: ids
// access: read
// returns: id, name, key, title, description, search_parts, version, content_hash, service, family, status, successor, owner, visibility, scopes, effects, frequency, entry_frequency, calls, errors, registered, updated, approved_hash, approved_by, approved_at, effects_reason, effects_by, effects_at, source_effects, source_effects_reason, access
UNWIND $ids AS id
MATCH (t:Tool {id: id})
RETURN t.id AS id, t.name AS name, t.key AS key, t.title AS title, t.description AS description,
       coalesce(t.search_parts, [properties(t).document]) AS search_parts, t.version AS version,
       t.content_hash AS content_hash,
       t.service AS service, t.family AS family, t.status AS status, t.successor AS successor,
       t.owner AS owner, t.visibility AS visibility, t.scopes AS scopes, t.effects AS effects,
       t.frequency AS frequency, t.entry_frequency AS entry_frequency, t.calls AS calls,
       t.errors AS errors, t.registered AS registered, t.updated AS updated,
       t.approved_hash AS approved_hash, t.approved_by AS approved_by,
       t.approved_at AS approved_at, t.effects_reason AS effects_reason,
       t.effects_by AS effects_by, t.effects_at AS effects_at,
       t.source_effects AS source_effects, t.source_effects_reason AS source_effects_reason,
       t.access AS access
ORDER BY id;

// name: trajectories
// Everything that is kept on these trajectories, but for their vectors.
// params: ids
// access: read
// returns: id, request, source, success, time, path, pruned
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})
RETURN j.id AS id, j.request AS request, j.source AS source, j.success AS success,
       j.time AS time, j.path AS path, j.pruned AS pruned
ORDER BY id;

// name: versions
// Every version of these tools, whole.
// params: ids
// access: read
// returns: id, tool_id, name, version, number, content_hash, definition, requires, produces, published
UNWIND $ids AS tool
MATCH (v:ToolVersion {tool_id: tool})
RETURN v.id AS id, v.tool_id AS tool_id, v.name AS name, v.version AS version,
       v.number AS number, v.content_hash AS content_hash, v.definition AS definition,
       v.requires AS requires, v.produces AS produces, v.published AS published
ORDER BY id;

// name: acts_on
// What these tools do to which resources.
// params: ids
// access: read
// returns: id, resource, verb
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[e:ACTS_ON]->(r:Resource)
RETURN t.id AS id, r.id AS resource, e.verb AS verb
ORDER BY id, resource;

// name: feeds
// Which tools these tools feed.
// params: ids
// access: read
// returns: producer, consumer, fields, evidence, weight
UNWIND $ids AS tool
MATCH (p:Tool {id: tool})-[e:FEEDS]->(c:Tool)
RETURN p.id AS producer, c.id AS consumer, e.fields AS fields, e.evidence AS evidence,
       e.weight AS weight
ORDER BY producer, consumer;

// name: gives
// The resources in the answers of these tools.
// params: ids
// access: read
// returns: id, resource, role, many, evidence
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})-[e:GIVES]->(r:Resource)
RETURN t.id AS id, r.id AS resource, e.role AS role, e.many AS many, e.evidence AS evidence
ORDER BY id, resource, role;

// name: identifies
// Which resources fields identify.
// params:
// access: read
// returns: field, resource, role
MATCH (f:Field)-[e:IDENTIFIES]->(r:Resource)
RETURN f.name AS field, r.id AS resource, e.role AS role
ORDER BY field, resource, role;

// name: put_acts_on
// Say what tools do to which resources.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (r:Resource {id: row.resource})
MERGE (t)-[e:ACTS_ON]->(r)
SET e.verb = row.verb;

// name: put_feeds
// Say which tool feeds which.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (p:Tool {id: row.producer})
MATCH (c:Tool {id: row.consumer})
MERGE (p)-[e:FEEDS]->(c)
SET e.fields = row.fields, e.evidence = row.evidence, e.weight = row.weight;

// name: put_gives
// Say which resources stand in the answers of tools.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (r:Resource {id: row.resource})
MERGE (t)-[e:GIVES {role: row.role}]->(r)
SET e.many = row.many, e.evidence = row.evidence;

// name: put_identifies
// Say which resources fields identify.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (f:Field {name: row.field})
MATCH (r:Resource {id: row.resource})
MERGE (f)-[:IDENTIFIES {role: row.role}]->(r);

// name: put_resources
// Write resources as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (r:Resource {id: row.id})
SET r.name = row.name, r.service = row.service;

// name: resources
// All resources.
// params:
// access: read
// returns: id, name, service
MATCH (r:Resource)
RETURN r.id AS id, r.name AS name, r.service AS service
ORDER BY id;

// name: effects_decisions
// Every decision about the effects of tools, removed tools included.
// params:
// access: read
// returns: id, tool, number, kind, before, after, reason, by, at
MATCH (d:EffectsDecision)
RETURN d.id AS id, d.tool AS tool, d.number AS number, d.kind AS kind, d.before AS before,
       d.after AS after, d.reason AS reason, d.by AS by, d.at AS at
ORDER BY id;

// name: put_effects_decisions
// Write decisions as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (d:EffectsDecision {id: row.id})
SET d.tool = row.tool, d.number = row.number, d.kind = row.kind, d.before = row.before,
    d.after = row.after, d.reason = row.reason, d.by = row.by, d.at = row.at;
