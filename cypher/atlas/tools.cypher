// Every tool with what tells how healthy it is.
// params:
// access: read
// returns: id, description, family, status, successor, frequency, calls, errors
MATCH (t:Tool)
RETURN t.id AS id, t.description AS description, t.family AS family, t.status AS status,
       t.successor AS successor, t.frequency AS frequency, t.calls AS calls, t.errors AS errors
ORDER BY id
