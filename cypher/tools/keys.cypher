// Tools by folded name, the way people type them.
// params: keys
// access: read
// returns: key, id, name
UNWIND $keys AS key
MATCH (t:Tool {key: key})
RETURN key, t.id AS id, t.name AS name
ORDER BY key, id
