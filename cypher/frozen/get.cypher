// A frozen menu that has not expired.
// params: id, at
// access: read
// returns: id, team, content, created, expires
MATCH (m:FrozenMenu {id: $id})
WHERE m.expires > $at
RETURN m.id AS id, m.team AS team, m.content AS content, m.created AS created,
       m.expires AS expires
