// The ledger of applied schema files.
// params:
// access: read
// returns: number, name, at
MATCH (m:Migration)
RETURN m.id AS number, m.name AS name, m.at AS at
ORDER BY number
