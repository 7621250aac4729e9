// How many tools with a text a caller may see, and how many terms these have in all.
// params: team, scopes, read_only
// access: read
// returns: nodes, total
// engines: neo4j
MATCH (t:Tool)
WHERE t.status = 'active'
  AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
  AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
  AND (NOT $read_only OR t.effects = 'read')
  AND t.terms IS NOT NULL
RETURN count(t) AS nodes,
       sum(CASE t.terms WHEN '' THEN 0 ELSE size(split(t.terms, ' ')) END) AS total
