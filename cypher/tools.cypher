// Tools: registering, publishing, finding, showing and removing them.

// name: absent
// Which of these tools are not there.
// params: ids
// access: read
// returns: id
UNWIND $ids AS id
OPTIONAL MATCH (t:Tool {id: id})
WITH id, t
WHERE t IS NULL
RETURN id
ORDER BY id;

// name: access
// Who may see these tools, and what of it people set on them.
// params: ids
// access: read
// returns: id, service, owner, visibility, scopes, access
UNWIND $ids AS id
MATCH (t:Tool {id: id})
RETURN t.id AS id, t.service AS service, t.owner AS owner, t.visibility AS visibility,
       t.scopes AS scopes, t.access AS access
ORDER BY id;

// name: approve
// Approve what tools are now: their content hash becomes the baseline.
// params: ids, by, at
// access: write
// returns:
UNWIND $ids AS id
MATCH (t:Tool {id: id})
SET t.status = 'active', t.approved_hash = t.content_hash, t.approved_by = $by, t.approved_at = $at;

// name: definition
// The whole definition of one version of a tool, as JSON.
// params: id, version
// access: read
// returns: definition
MATCH (v:ToolVersion {tool_id: $id, version: $version})
RETURN v.definition AS definition;

// name: definitions
// The whole current definition of these tools, as JSON, and the effects that hold now.
// params: ids
// access: read
// returns: id, version, definition, effects
UNWIND $ids AS id
MATCH (t:Tool {id: id})-[:HAS_VERSION]->(v:ToolVersion)
WHERE v.version = t.version
RETURN t.id AS id, v.version AS version, v.definition AS definition, t.effects AS effects
ORDER BY id;

// name: fields
// Create fields, or write their merged type and aliases.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (f:Field {name: row.name})
SET f.type = row.type, f.aliases = row.aliases;

// name: hashes
// Version and content hash of tools, to recognise what did not change.
// params: ids
// access: read
// returns: id, version, content_hash
UNWIND $ids AS id
MATCH (t:Tool {id: id})
RETURN t.id AS id, t.version AS version, t.content_hash AS content_hash
ORDER BY id;

// name: in_family
// Link tools to their families.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MERGE (f:Family {name: row.family})
MERGE (t)-[:IN_FAMILY]->(f);

// name: inputs
// The fields that these tools take.
// params: ids
// access: read
// returns: id, field, type, required
UNWIND $ids AS id
MATCH (t:Tool {id: id})-[e:REQUIRES|ACCEPTS]->(f:Field)
RETURN t.id AS id, f.name AS field, f.type AS type, type(e) = 'REQUIRES' AS required
ORDER BY id, field;

// name: keys
// Tools by folded name, the way people type them.
// params: keys
// access: read
// returns: key, id, name
UNWIND $keys AS key
MATCH (t:Tool {key: key})
RETURN key, t.id AS id, t.name AS name
ORDER BY key, id;

// name: list
// Tools with their service, family and use. A null parameter does not filter.
// params: service, family, status
// access: read
// returns: id, name, title, description, version, status, effects, effects_reason, effects_by, service, family, frequency
MATCH (t:Tool)
WHERE ($service IS NULL OR t.service = $service)
  AND ($family IS NULL OR t.family = $family)
  AND ($status IS NULL OR t.status = $status)
RETURN t.id AS id, t.name AS name, t.title AS title, t.description AS description,
       t.version AS version, t.status AS status, t.effects AS effects,
       t.effects_reason AS effects_reason, t.effects_by AS effects_by, t.service AS service,
       t.family AS family, t.frequency AS frequency
ORDER BY id;

// name: names
// All tool ids and names, to suggest the nearest when a name is unknown.
// params:
// access: read
// returns: id, name
MATCH (t:Tool)
RETURN t.id AS id, t.name AS name
ORDER BY id;

// name: newest
// When a tool was last registered, changed or given another status: what is later is new.
// params:
// access: read
// returns: newest
MATCH (t:Tool)
RETURN max(t.updated) AS newest
ORDER BY newest;

// name: of_service
// The tools of a service: what they are now, whose, and what of them anybody approved.
// params: service
// access: read
// returns: id, status, successor, approved_hash, content_hash, owner, visibility, scopes, access, source_effects, source_effects_reason
MATCH (t:Tool {service: $service})
RETURN t.id AS id, t.status AS status, t.successor AS successor, t.approved_hash AS approved_hash,
       t.content_hash AS content_hash, t.owner AS owner, t.visibility AS visibility,
       t.scopes AS scopes, t.access AS access, t.source_effects AS source_effects,
       t.source_effects_reason AS source_effects_reason
ORDER BY id;

// name: origin
// A service as it was registered last, and from which source.
// params: service
// access: read
// returns: source, digest, links, map, title, description, owner, access, etag
MATCH (s:Service {name: $service})
RETURN s.source AS source, s.digest AS digest, s.links AS links, s.map AS map, s.title AS title,
       s.description AS description, s.owner AS owner, s.access AS access,
       s.etag AS etag
ORDER BY source;

// name: outputs
// The fields that these tools produce, and how that is known.
// params: ids
// access: read
// returns: id, field, type, evidence, count
UNWIND $ids AS id
MATCH (t:Tool {id: id})-[e:PRODUCES]->(f:Field)
RETURN t.id AS id, f.name AS field, f.type AS type, e.evidence AS evidence, e.count AS count
ORDER BY id, field;

// name: produces
// Link tools to the fields they declare to produce. An observed edge becomes declared and keeps
// its count.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (f:Field {name: row.field})
MERGE (t)-[e:PRODUCES]->(f)
ON CREATE SET e.count = 0
SET e.evidence = 'declared';

// name: provided_by
// Link tools to the services that provide them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (s:Service {name: row.service})
MERGE (t)-[:PROVIDED_BY]->(s);

// name: prune_families
// Drop families without tools.
// params:
// access: write
// returns:
MATCH (f:Family)
WHERE NOT (f)--()
DELETE f;

// name: prune_fields
// Drop fields that no tool takes or produces any more, unless a person decided something
// about them; what flowed through them is gone with them.
// params:
// access: write
// returns:
MATCH (f:Field)
WHERE NOT (:Tool)-[:REQUIRES|ACCEPTS|PRODUCES]->(f) AND NOT (f)-[:SAME_AS|IS_A]-(:Field)
DETACH DELETE f;

// name: prune_services
// Drop services without tools.
// params:
// access: write
// returns:
MATCH (s:Service)
WHERE NOT (s)--()
DELETE s;

// name: publish
// Keep a version of a tool for ever, with its whole definition as JSON.
// params: rows, at
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.tool_id})
MERGE (v:ToolVersion {id: row.id})
ON CREATE SET v.tool_id = row.tool_id, v.name = row.name, v.version = row.version,
              v.number = row.number, v.content_hash = row.content_hash,
              v.definition = row.definition, v.requires = row.requires,
              v.produces = row.produces, v.published = $at
MERGE (t)-[:HAS_VERSION]->(v);

// name: published
// Every published version of these tools, removed tools included.
// params: ids
// access: read
// returns: id, number, version, content_hash, published
UNWIND $ids AS id
MATCH (v:ToolVersion {tool_id: id})
RETURN v.tool_id AS id, v.number AS number, v.version AS version,
       v.content_hash AS content_hash, v.published AS published
ORDER BY id, number;

// name: published_as
// Tools that were ever published under this name, also those that are gone.
// params: name
// access: read
// returns: id
MATCH (v:ToolVersion {name: $name})
RETURN DISTINCT v.tool_id AS id
ORDER BY id;

// name: remove
// Remove a tool with its edges. Its published versions stay.
// params: id
// access: write
// returns:
MATCH (t:Tool {id: $id})
DETACH DELETE t;

// name: requires
// Link tools to the fields they take: REQUIRES what a call must have, ACCEPTS the rest.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (f:Field {name: row.field})
FOREACH (_ IN CASE WHEN row.required THEN [1] ELSE [] END |
  MERGE (t)-[:REQUIRES]->(f)
)
FOREACH (_ IN CASE WHEN row.required THEN [] ELSE [1] END |
  MERGE (t)-[:ACCEPTS]->(f)
);

// name: services
// Create or update services.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (s:Service {name: row.name})
SET s.title = row.title, s.description = row.description, s.owner = row.owner, s.source = row.source,
    s.digest = row.digest, s.links = row.links, s.map = row.map, s.access = row.access,
    s.etag = row.etag;

// name: reword
// Write the texts that tools are found by, though nothing else about them changed.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.search_parts = row.search_parts;

// name: search_parts
// The texts that tools are found by, part by part.
// params: ids
// access: read
// returns: id, search_parts
UNWIND $ids AS id
MATCH (t:Tool {id: id})
RETURN t.id AS id, t.search_parts AS search_parts
ORDER BY id;

// name: service_access
// Who may see the tools of each service, where people set it.
// params:
// access: read
// returns: name, access
MATCH (s:Service)
RETURN s.name AS name, s.access AS access
ORDER BY name;

// name: set_access
// Write who may see tools, and what of it people set, though nothing else about them changed.
// params: rows, at
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.owner = row.owner, t.visibility = row.visibility, t.scopes = row.scopes,
    t.access = row.access, t.updated = $at;

// name: set_service_access
// Write who may see the tools of services, for those that are registered later.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (s:Service {name: row.name})
SET s.access = row.access;

// name: set_status
// Change the status of tools: deprecate, quarantine, approve.
// params: rows, at
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.status = row.status, t.successor = row.successor, t.updated = $at;

// name: show
// Everything that is kept on these tools, but for their vectors.
// params: ids
// access: read
// returns: id, name, title, description, version, content_hash, service, family, status, successor, owner, visibility, scopes, effects, effects_reason, effects_by, effects_at, source_effects, frequency, entry_frequency, calls, errors, registered, updated
UNWIND $ids AS id
MATCH (t:Tool {id: id})
RETURN t.id AS id, t.name AS name, t.title AS title, t.description AS description,
       t.version AS version, t.content_hash AS content_hash, t.service AS service,
       t.family AS family, t.status AS status, t.successor AS successor, t.owner AS owner,
       t.visibility AS visibility, t.scopes AS scopes, t.effects AS effects,
       t.effects_reason AS effects_reason, t.effects_by AS effects_by, t.effects_at AS effects_at,
       t.source_effects AS source_effects,
       t.frequency AS frequency, t.entry_frequency AS entry_frequency, t.calls AS calls,
       t.errors AS errors, t.registered AS registered, t.updated AS updated
ORDER BY id;

// name: states
// Status, approval and successor of tools, which a new registration must respect.
// params: ids
// access: read
// returns: id, status, successor, approved_hash, content_hash
UNWIND $ids AS id
MATCH (t:Tool {id: id})
RETURN t.id AS id, t.status AS status, t.successor AS successor, t.approved_hash AS approved_hash,
       t.content_hash AS content_hash
ORDER BY id;

// name: touch_service
// Forget the digest of a tool's service, because it no longer is what its manifest said.
// params: id
// access: write
// returns:
MATCH (t:Tool {id: $id})-[:PROVIDED_BY]->(s:Service)
SET s.digest = null, s.etag = null;

// name: trajectories
// How many trajectories have this tool as a step.
// params: id
// access: read
// returns: trajectories
MATCH (j:Trajectory)-[:STEP]->(t:Tool {id: $id})
RETURN count(DISTINCT j.id) AS trajectories;

// name: undeclare
// Take back that tools declare to produce fields which they were observed to produce.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})-[e:PRODUCES]->(f:Field {name: row.field})
SET e.evidence = 'observed';

// name: unlink
// Cut what a tool declared before its new declaration is written; observed edges stay.
// params: ids
// access: write
// returns:
UNWIND $ids AS id
MATCH (t:Tool {id: id})
WITH t
MATCH (t)-[e:REQUIRES|ACCEPTS|PRODUCES|IN_FAMILY|PROVIDED_BY]->()
WHERE type(e) <> 'PRODUCES' OR e.evidence = 'declared'
DELETE e;

// name: unproduce
// Cut tools from fields that they no longer declare to produce.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})-[e:PRODUCES]->(f:Field {name: row.field})
DELETE e;

// name: upsert
// Create or update tools. Counters start at zero and are never reset by a registration; effects
// that a person decided stay.
// params: rows, at
// access: write
// returns:
UNWIND $rows AS row
MERGE (t:Tool {id: row.id})
ON CREATE SET t.frequency = 0, t.entry_frequency = 0, t.calls = 0, t.errors = 0, t.registered = $at
SET t.name = row.name, t.key = row.key, t.title = row.title, t.description = row.description,
    t.search_parts = row.search_parts, t.version = row.version,
    t.content_hash = row.content_hash,
    t.service = row.service, t.family = row.family, t.status = row.status,
    t.successor = row.successor, t.owner = row.owner, t.visibility = row.visibility,
    t.scopes = row.scopes, t.updated = $at,
    t.source_effects = row.effects, t.source_effects_reason = row.effects_reason,
    t.effects = CASE WHEN t.effects_by IS NULL THEN row.effects ELSE t.effects END,
    t.effects_reason = CASE WHEN t.effects_by IS NULL THEN row.effects_reason
                       ELSE t.effects_reason END;

// name: waiting
// Tools that wait for approval: quarantined, with the version that is there now.
// params:
// access: read
// returns: id, version, content_hash, approved_hash
MATCH (t:Tool)
WHERE t.status = 'quarantined'
RETURN t.id AS id, t.version AS version, t.content_hash AS content_hash,
       t.approved_hash AS approved_hash
ORDER BY id;
