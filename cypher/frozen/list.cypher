// The frozen menus of a team, or of everybody, that have not expired.
// params: team, at
// access: read
// returns: id, team, request, tools, created, expires
MATCH (m:FrozenMenu)
WHERE m.expires > $at AND ($team IS NULL OR m.team = $team)
RETURN m.id AS id, m.team AS team, m.request AS request, m.tools AS tools,
       m.created AS created, m.expires AS expires
ORDER BY created, id
