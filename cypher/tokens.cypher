// API tokens: the SHA-256 of each secret, never the secret.

// name: create
// Keep a token: the hash of its secret, who it stands for and what it may do.
// params: id, name, team, scopes, read_only, may, at, expires
// access: write
// returns:
MERGE (t:Token {id: $id})
SET t.name = $name, t.team = $team, t.scopes = $scopes, t.read_only = $read_only, t.may = $may,
    t.created = $at, t.expires = $expires;

// name: find
// The token whose secret has this hash.
// params: id
// access: read
// returns: id, name, team, scopes, read_only, may, created, expires, revoked
MATCH (t:Token {id: $id})
RETURN t.id AS id, t.name AS name, t.team AS team, t.scopes AS scopes, t.read_only AS read_only,
       t.may AS may, t.created AS created, t.expires AS expires, t.revoked AS revoked;

// name: list
// All tokens, also revoked and expired ones.
// params:
// access: read
// returns: id, name, team, scopes, read_only, may, created, expires, revoked
MATCH (t:Token)
RETURN t.id AS id, t.name AS name, t.team AS team, t.scopes AS scopes, t.read_only AS read_only,
       t.may AS may, t.created AS created, t.expires AS expires, t.revoked AS revoked
ORDER BY created, id;

// name: revoke
// Take a token back; it stays, for whoever asks later what it was.
// params: id, at
// access: write
// returns:
MATCH (t:Token {id: $id})
SET t.revoked = $at;
