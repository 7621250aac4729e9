// A service as it was registered last, and from which source.
// params: service
// access: read
// returns: source, digest, links, title, description, owner
MATCH (s:Service {name: $service})
RETURN s.source AS source, s.digest AS digest, s.links AS links, s.title AS title,
       s.description AS description, s.owner AS owner
ORDER BY source
