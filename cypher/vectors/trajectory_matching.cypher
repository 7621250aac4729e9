// The trajectories that hold any term of a query and that a caller may see, with all their terms.
// Lucene finds them; its scores, which hidden nodes change, are not asked for. In one row, because
// many thousands of rows take the driver much longer.
// params: query, team, scopes, read_only
// access: read
// returns: ids, terms
// engines: neo4j
CALL db.index.fulltext.queryNodes('trajectory_text', $query) YIELD node AS j
MATCH (j)-[s:STEP]->(t:Tool)
WHERE j.success AND s.ok
WITH j, sum(CASE
  WHEN t.status = 'active'
   AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
   AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
   AND (NOT $read_only OR t.effects = 'read')
  THEN 0 ELSE 1 END) AS hidden
WHERE hidden = 0
WITH j
ORDER BY j.id
RETURN collect(j.id) AS ids, collect(j.terms) AS terms
