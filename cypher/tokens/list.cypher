// All tokens, also revoked and expired ones.
// params:
// access: read
// returns: id, name, team, scopes, read_only, may, created, expires, revoked
MATCH (t:Token)
RETURN t.id AS id, t.name AS name, t.team AS team, t.scopes AS scopes, t.read_only AS read_only,
       t.may AS may, t.created AS created, t.expires AS expires, t.revoked AS revoked
ORDER BY created, id
