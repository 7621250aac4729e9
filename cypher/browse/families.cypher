// The families of the tools that a caller may see, with how many tools each has and how often they ran.
// params: team, scopes, read_only
// access: read
// returns: family, tools, frequency
MATCH (t:Tool)
WHERE t.status = 'active'
  AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
  AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
  AND (NOT $read_only OR t.effects = 'read')
RETURN coalesce(t.family, '') AS family, count(t) AS tools, sum(t.frequency) AS frequency
ORDER BY family
