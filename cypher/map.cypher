// The map: which resources tools act on, take and give, and which tool feeds which.

// name: acts
// The tools of a service, with what each does to which resource.
// params: service
// access: read
// returns: id, name, verb, resource, status, visibility, owner, scopes, effects
MATCH (t:Tool {service: $service})
OPTIONAL MATCH (t)-[e:ACTS_ON]->(r:Resource)
RETURN t.id AS id, t.name AS name, e.verb AS verb, r.id AS resource, t.status AS status,
       t.visibility AS visibility, t.owner AS owner, t.scopes AS scopes, t.effects AS effects
ORDER BY id;

// name: add_feeds
// Connect tools that are not connected yet. Pairs name tools by their places among the ids, so that
// each tool is looked up once.
// params: ids, pairs
// access: write
// returns:
UNWIND $pairs AS pair
MATCH (p:Tool {id: $ids[pair[0]]})
MATCH (c:Tool {id: $ids[pair[1]]})
WITH p, c, pair[2] AS fields, pair[3] AS evidence, pair[4] AS weight
CREATE (p)-[:FEEDS {fields: fields, evidence: evidence, weight: weight}]->(c);

// name: cut_feeds
// Cut edges between tools that no longer hold.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (:Tool {id: row.producer})-[e:FEEDS]->(:Tool {id: row.consumer})
DELETE e;

// name: decided_takers
// The tools of a service that take these fields.
// params: service, fields
// access: read
// returns: id, field, required, status, visibility, owner, scopes, effects
UNWIND $fields AS name
MATCH (f:Field {name: name})<-[e:REQUIRES|ACCEPTS]-(t:Tool {service: $service})
RETURN t.id AS id, f.name AS field, type(e) = 'REQUIRES' AS required, t.status AS status,
       t.visibility AS visibility, t.owner AS owner, t.scopes AS scopes, t.effects AS effects
ORDER BY id, field;

// name: fed_elsewhere
// The services whose tools are fed by tools of this service, or were seen to be.
// params: service
// access: read
// returns: other
MATCH (t:Tool {service: $service})-[:FEEDS|HANDS]->(c:Tool)
WHERE c.service <> $service
RETURN DISTINCT c.service AS other
ORDER BY other;

// name: feeding
// The tools that feed tools of a service.
// params: service
// access: read
// returns: producer, consumer, fields, evidence, weight
MATCH (c:Tool {service: $service})
WITH c
MATCH (p)-[e:FEEDS]->(c)
RETURN p.id AS producer, c.id AS consumer, e.fields AS fields, e.evidence AS evidence,
       e.weight AS weight
ORDER BY producer, consumer;

// name: feeding_from_elsewhere
// The tools of other services that feed tools of a service.
// params: service
// access: read
// returns: producer, consumer, fields, evidence, weight
MATCH (c:Tool {service: $service})
WITH c
MATCH (p)-[e:FEEDS]->(c)
WHERE p.service <> $service
RETURN p.id AS producer, c.id AS consumer, e.fields AS fields, e.evidence AS evidence,
       e.weight AS weight
ORDER BY producer, consumer;

// name: forget_identities
// Forget what the inputs of tools identify, before it is read anew.
// params: ids
// access: write
// returns:
UNWIND $ids AS id
MATCH (t:Tool {id: id})
WITH t
MATCH (t)-[e:REQUIRES|ACCEPTS]->(:Field)
WHERE e.resource IS NOT NULL
SET e.resource = null, e.role = null;

// name: given
// The resources in the answers of a service's tools.
// params: service
// access: read
// returns: id, resource, role, many, evidence
MATCH (t:Tool {service: $service})-[e:GIVES]->(r:Resource)
RETURN t.id AS id, r.id AS resource, e.role AS role, e.many AS many, e.evidence AS evidence
ORDER BY id, resource, role;

// name: handed
// What tools of a service were seen to be handed so often, and still take; by tools that still make it.
// params: service, least
// access: read
// returns: producer, consumer, field, count, status, visibility, owner, scopes, effects, to_status, to_visibility, to_owner, to_scopes, to_effects
MATCH (p:Tool)-[e:HANDS]->(c:Tool {service: $service})
WHERE e.count >= $least
MATCH (c)-[:REQUIRES]->(f:Field)
WHERE f.name = e.input
MATCH (p)-[:PRODUCES]->(g:Field)
WHERE g.name = e.output
WITH p, c, f.name AS field, sum(e.count) AS count
RETURN p.id AS producer, c.id AS consumer, field, count, p.status AS status,
       p.visibility AS visibility, p.owner AS owner, p.scopes AS scopes, p.effects AS effects,
       c.status AS to_status, c.visibility AS to_visibility, c.owner AS to_owner,
       c.scopes AS to_scopes, c.effects AS to_effects
ORDER BY consumer, field, count DESC, producer;

// name: made
// The fields that tools of a service produce.
// params: service
// access: read
// returns: id, field
MATCH (t:Tool {service: $service})-[:PRODUCES]->(f:Field)
RETURN t.id AS id, f.name AS field
ORDER BY id, field;

// name: makers
// Active tools that produce these fields and do not require them too, with what they do.
// params: fields
// access: read
// returns: field, id, service, verb, status, visibility, owner, scopes, effects
UNWIND $fields AS name
MATCH (f:Field {name: name})<-[:PRODUCES]-(t:Tool)
WHERE NOT EXISTS { MATCH (t)-[:REQUIRES]->(f) }
OPTIONAL MATCH (t)-[a:ACTS_ON]->(:Resource)
RETURN f.name AS field, t.id AS id, t.service AS service, a.verb AS verb, t.status AS status,
       t.visibility AS visibility, t.owner AS owner, t.scopes AS scopes, t.effects AS effects
ORDER BY field, id;

// name: makers_of_resource
// Tools whose answers hold what these fields identify, in the same role, and that do not require it.
// params: fields
// access: read
// returns: field, id, service, verb, status, visibility, owner, scopes, effects
UNWIND $fields AS name
MATCH (f:Field {name: name})-[i:IDENTIFIES]->(r:Resource)<-[g:GIVES]-(t:Tool)
WHERE g.role = i.role
  AND NOT EXISTS { MATCH (t)-[e:REQUIRES]->(:Field) WHERE e.resource = r.id }
OPTIONAL MATCH (t)-[a:ACTS_ON]->(:Resource)
RETURN f.name AS field, t.id AS id, t.service AS service, a.verb AS verb, t.status AS status,
       t.visibility AS visibility, t.owner AS owner, t.scopes AS scopes, t.effects AS effects
ORDER BY field, id;

// name: producers
// Tools that produce these fields, with what they do.
// params: fields
// access: read
// returns: field, id, service, name, verb, status, visibility, owner, scopes, effects
UNWIND $fields AS name
MATCH (f:Field {name: name})<-[:PRODUCES]-(t:Tool)
OPTIONAL MATCH (t)-[e:ACTS_ON]->(:Resource)
RETURN f.name AS field, t.id AS id, t.service AS service, t.name AS name, e.verb AS verb,
       t.status AS status, t.visibility AS visibility, t.owner AS owner, t.scopes AS scopes,
       t.effects AS effects
ORDER BY field, id;

// name: prune_resources
// Drop resources that nothing speaks of any more.
// params:
// access: write
// returns:
MATCH (r:Resource)
WHERE NOT (r)--()
DELETE r;

// name: put_identities
// Say which resources the inputs of tools identify. Each pattern begins at the tool, which has few inputs: a
// field that all tools take has thousands, and a server had to go through those that are being written.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
WITH row, t
MATCH (t)-[e:REQUIRES|ACCEPTS]->(f)
WHERE f.name = row.field
SET e.resource = row.resource, e.role = row.role;

// name: put_identifies
// Say which resources fields identify, as the inputs of a service's tools do.
// params: service
// access: write
// returns:
MATCH (t:Tool {service: $service})-[e:REQUIRES|ACCEPTS]->(f:Field)
WHERE e.resource IS NOT NULL
WITH DISTINCT f, e.resource AS resource, e.role AS role
MATCH (r:Resource {id: resource})
MERGE (f)-[:IDENTIFIES {role: role}]->(r);

// name: taken
// The inputs of a service's tools, with what each identifies.
// params: service
// access: read
// returns: id, field, required, resource, role
MATCH (t:Tool {service: $service})-[e:REQUIRES|ACCEPTS]->(f:Field)
RETURN t.id AS id, f.name AS field, type(e) = 'REQUIRES' AS required, e.resource AS resource,
       e.role AS role
ORDER BY id, field;

// name: decided_elsewhere
// The services whose tools take what a person decided to be a field of this service's tools.
// params: service
// access: read
// returns: other
MATCH (f:Field)-[:SAME_AS|IS_A]-(g:Field)
WITH DISTINCT f, g
WHERE EXISTS { MATCH (g)<-[:REQUIRES|ACCEPTS|PRODUCES]-(:Tool {service: $service}) }
MATCH (f)<-[:REQUIRES|ACCEPTS]-(c:Tool)
WHERE c.service <> $service
RETURN DISTINCT c.service AS other
ORDER BY other;

// name: unlink
// Cut what was read of tools, before it is read anew.
// params: ids
// access: write
// returns:
UNWIND $ids AS id
MATCH (t:Tool {id: id})
WITH t  // first, whatever a server knows of its graph: one that was empty began at the resources
MATCH (t)-[e:ACTS_ON|GIVES]->(:Resource)
DELETE e;

// name: unlink_identities
// Cut what fields identify in a service, before it is read anew.
// params: service
// access: write
// returns:
MATCH (:Field)-[e:IDENTIFIES]->(:Resource {service: $service})
DELETE e;

// name: cards
// What these tools do to which resource, what they take, and who feeds them that a caller may see.
// params: ids, team, scopes, read_only
// access: read
// returns: id, verb, resource, service, effects, needs, feeders
UNWIND $ids AS id
MATCH (t:Tool {id: id})
OPTIONAL MATCH (t)-[a:ACTS_ON]->(r:Resource)
WITH t, a.verb AS verb, r.id AS resource
CALL (t) {
  MATCH (t)-[e:REQUIRES|ACCEPTS]->(f:Field)
  WHERE type(e) = 'REQUIRES' OR e.resource IS NOT NULL
  WITH f.name AS field, e
  ORDER BY field
  RETURN collect([field, type(e) = 'REQUIRES', e.resource, e.role]) AS needs
}
CALL (t) {
  MATCH (t)<-[e:FEEDS]-(p:Tool)
  WHERE visible(p)
  WITH p.id AS producer, p.effects AS effects, e
  ORDER BY producer
  RETURN collect([producer, e.fields, e.weight, effects]) AS feeders
}
RETURN t.id AS id, verb, resource, t.service AS service, t.effects AS effects, needs, feeders
ORDER BY id;

// name: definitions
// The whole current definitions of a service's tools, as JSON, and the effects that their source gives.
// params: service
// access: read
// returns: id, definition, source_effects
MATCH (t:Tool {service: $service})-[:HAS_VERSION]->(v:ToolVersion)
WHERE v.version = t.version
RETURN t.id AS id, v.definition AS definition, t.source_effects AS source_effects
ORDER BY id;

// name: mark
// Say how, and by which rules, the map of a service was made.
// params: service, map
// access: write
// returns:
MATCH (s:Service {name: $service})
SET s.map = $map;

// name: marks
// How, and by which rules, the map of each service was made.
// params:
// access: read
// returns: service, map
MATCH (s:Service)
RETURN s.name AS service, s.map AS map
ORDER BY service;

// name: made_by
// The tools of a service with the fields that they produce, and with what they do.
// params: service
// access: read
// returns: field, id, name, verb, status, visibility, owner, scopes, effects
MATCH (t:Tool {service: $service})-[:PRODUCES]->(f:Field)
OPTIONAL MATCH (t)-[e:ACTS_ON]->(:Resource)
RETURN f.name AS field, t.id AS id, t.name AS name, e.verb AS verb, t.status AS status,
       t.visibility AS visibility, t.owner AS owner, t.scopes AS scopes, t.effects AS effects
ORDER BY field, id;

// name: unmet
// Required inputs of a service's tools that no tool of the service feeds for everybody, with those that
// feed it for some.
// params: service
// access: read
// returns: id, field, status, visibility, owner, scopes, effects, own, own_status, own_visibility, own_owner, own_scopes, own_effects
MATCH (c:Tool {service: $service})
WITH c
MATCH (c)-[:REQUIRES]->(f:Field)
WHERE NOT EXISTS {
  MATCH (c)<-[fed:FEEDS]-(own)
  WHERE own.service = c.service AND f.name IN fed.fields AND seen_with_c(own)
}
WITH c, f.name AS field
OPTIONAL MATCH (c)<-[fed:FEEDS]-(own)
WHERE own.service = c.service AND field IN fed.fields
RETURN c.id AS id, field, c.status AS status, c.visibility AS visibility, c.owner AS owner,
       c.scopes AS scopes, c.effects AS effects, own.id AS own, own.status AS own_status,
       own.visibility AS own_visibility, own.owner AS own_owner, own.scopes AS own_scopes,
       own.effects AS own_effects
ORDER BY id, field, own;

// name: unmet_elsewhere
// Inputs of other services that no tool of theirs makes for everybody, and who of other services feeds
// each now. Each pattern begins at the tool that is known, because the other end has no label that an
// index could be asked for: a server that had planned this on an empty graph took minutes.
// params: service, fields
// access: read
// returns: field, service, consumer, id, name, verb, status, visibility, owner, scopes, effects
UNWIND $fields AS name
MATCH (f:Field {name: name})
WITH f, name
MATCH (f)<-[:REQUIRES]-(c:Tool)
WHERE c.service <> $service
  AND NOT EXISTS {
    MATCH (c)<-[fed:FEEDS]-(own)
    WHERE own.service = c.service AND name IN fed.fields AND fed.evidence IN ['declared', 'inferred']
      AND seen_with_c(own)
  }
OPTIONAL MATCH (c)<-[e:FEEDS]-(p)
WHERE p.service <> c.service AND name IN e.fields AND e.evidence = 'declared'
OPTIONAL MATCH (p)-[a:ACTS_ON]->()
RETURN f.name AS field, c.service AS service, c.id AS consumer, p.id AS id, p.name AS name,
       a.verb AS verb, p.status AS status, p.visibility AS visibility, p.owner AS owner,
       p.scopes AS scopes, p.effects AS effects
ORDER BY field, consumer, id;
