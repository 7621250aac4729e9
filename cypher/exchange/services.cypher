// All services.
// params:
// access: read
// returns: name, title, description, owner
MATCH (s:Service)
RETURN s.name AS name, s.title AS title, s.description AS description, s.owner AS owner
ORDER BY name
