// Keep a token: the hash of its secret, who it stands for and what it may do.
// params: id, name, team, scopes, read_only, may, at, expires
// access: write
// returns:
MERGE (t:Token {id: $id})
SET t.name = $name, t.team = $team, t.scopes = $scopes, t.read_only = $read_only, t.may = $may,
    t.created = $at, t.expires = $expires
