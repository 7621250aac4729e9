// The tools that a caller may see. The same condition stands in every query that filters by caller.
// params: team, scopes, read_only
// access: read
// returns: id
MATCH (t:Tool)
WHERE t.status = 'active'
  AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
  AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
  AND (NOT $read_only OR t.effects = 'read')
RETURN t.id AS id
ORDER BY id
