// The fields of the tools that a caller may see.
// params: team, scopes, read_only
// access: read
// returns: field
MATCH (t:Tool)-[:REQUIRES|PRODUCES]->(f:Field)
WHERE t.status = 'active'
  AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
  AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
  AND (NOT $read_only OR t.effects = 'read')
RETURN DISTINCT f.name AS field
ORDER BY field
