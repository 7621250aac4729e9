// The ways of trajectories through any of these tools, and how many went each; those alone of which
// a caller may see every step that did its work. Edges count the others too.
// params: ids, team, scopes, read_only
// access: read
// returns: way, count
UNWIND $ids AS id
MATCH (:Tool {id: id})<-[own:STEP]-(j:Trajectory)
WHERE own.ok AND j.success
WITH DISTINCT j
MATCH (j)-[s:STEP]->(t:Tool)
WHERE s.ok
WITH j, s.idx AS idx, t.id AS tool, CASE
  WHEN t.status = 'active'
   AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
   AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
   AND (NOT $read_only OR t.effects = 'read')
  THEN 0 ELSE 1 END AS hidden
ORDER BY idx
WITH j, collect(tool) AS way, sum(hidden) AS hidden
WHERE hidden = 0
RETURN way, count(*) AS count
ORDER BY way
