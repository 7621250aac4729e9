// The successful trajectories of which a caller may see every tool that did its work.
// params: team, scopes, read_only
// access: read
// returns: id
MATCH (j:Trajectory)-[s:STEP]->(t:Tool)
WHERE j.success AND s.ok
WITH j, sum(CASE
  WHEN t.status = 'active'
   AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
   AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
   AND (NOT $read_only OR t.effects = 'read')
  THEN 0 ELSE 1 END) AS hidden
WHERE hidden = 0
RETURN j.id AS id
ORDER BY id
