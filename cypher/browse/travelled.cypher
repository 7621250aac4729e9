// How often agents went from a tool of one family to a tool of another, both visible.
// params: team, scopes, read_only
// access: read
// returns: first, second, count
MATCH (a:Tool)-[e:PRECEDES]->(b:Tool)
WHERE a.status = 'active'
  AND ($team IS NULL OR a.visibility = 'public' OR a.owner = $team)
  AND ($scopes IS NULL OR all(scope IN coalesce(a.scopes, []) WHERE scope IN $scopes))
  AND (NOT $read_only OR a.effects = 'read')
  AND b.status = 'active'
  AND ($team IS NULL OR b.visibility = 'public' OR b.owner = $team)
  AND ($scopes IS NULL OR all(scope IN coalesce(b.scopes, []) WHERE scope IN $scopes))
  AND (NOT $read_only OR b.effects = 'read')
RETURN coalesce(a.family, '') AS first, coalesce(b.family, '') AS second, sum(e.count) AS count
ORDER BY first, second
