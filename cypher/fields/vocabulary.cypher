// All fields with type and aliases: the words in which states are spoken.
// params:
// access: read
// returns: field, type, aliases
MATCH (f:Field)
RETURN f.name AS field, f.type AS type, f.aliases AS aliases
ORDER BY field
