// How often these tools were called and failed, in trajectories of which a caller may see every step.
// params: ids, team, scopes, read_only
// access: read
// returns: id, calls, errors
UNWIND $ids AS id
MATCH (:Tool {id: id})<-[:STEP]-(j:Trajectory)
WITH DISTINCT j
MATCH (j)-[s:STEP]->(t:Tool)
WITH j, collect({id: t.id, ok: s.ok}) AS steps, sum(CASE
  WHEN t.status = 'active'
   AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
   AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
   AND (NOT $read_only OR t.effects = 'read')
  THEN 0 ELSE 1 END) AS hidden
WHERE hidden = 0
UNWIND steps AS step
RETURN step.id AS id, count(*) AS calls, sum(CASE WHEN step.ok THEN 0 ELSE 1 END) AS errors
ORDER BY id
