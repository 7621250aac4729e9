// All fields.
// params:
// access: read
// returns: name, type, aliases
MATCH (f:Field)
RETURN f.name AS name, f.type AS type, f.aliases AS aliases
ORDER BY name
