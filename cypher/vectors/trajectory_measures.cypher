// How many trajectories with a text a caller may see, and how many terms these have in all.
// params: team, scopes, read_only
// access: read
// returns: nodes, total
// engines: neo4j
MATCH (j:Trajectory)-[s:STEP]->(t:Tool)
WHERE j.success AND s.ok AND j.terms IS NOT NULL
WITH j, sum(CASE
  WHEN t.status = 'active'
   AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
   AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
   AND (NOT $read_only OR t.effects = 'read')
  THEN 0 ELSE 1 END) AS hidden
WHERE hidden = 0
RETURN count(j) AS nodes,
       sum(CASE j.terms WHEN '' THEN 0 ELSE size(split(j.terms, ' ')) END) AS total
