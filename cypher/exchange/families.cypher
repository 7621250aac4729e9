// All families.
// params:
// access: read
// returns: name
MATCH (f:Family)
RETURN f.name AS name
ORDER BY name
