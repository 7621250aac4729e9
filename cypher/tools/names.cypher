// All tool ids and names, to suggest the nearest when a name is unknown.
// params:
// access: read
// returns: id, name
MATCH (t:Tool)
RETURN t.id AS id, t.name AS name
ORDER BY id
