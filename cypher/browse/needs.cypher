// Which fields the families of visible tools cannot do without, and how many of their tools.
// params: team, scopes, read_only
// access: read
// returns: family, field, tools
MATCH (t:Tool)-[e:REQUIRES]->(f:Field)
WHERE e.required
  AND t.status = 'active'
  AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
  AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
  AND (NOT $read_only OR t.effects = 'read')
RETURN coalesce(t.family, '') AS family, f.name AS field, count(DISTINCT t) AS tools
ORDER BY family, field
