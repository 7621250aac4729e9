// All services.
// params:
// access: read
// returns: name, title, description, owner, source, digest, links
MATCH (s:Service)
RETURN s.name AS name, s.title AS title, s.description AS description, s.owner AS owner,
       s.source AS source, s.digest AS digest, s.links AS links
ORDER BY name
