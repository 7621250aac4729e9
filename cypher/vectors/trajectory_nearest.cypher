// The trajectories nearest to a vector that a caller may see, among the nearest of all. Scores are
// made again by whoever asks, who gets the vectors.
// params: explore, window, count, vector, team, scopes, read_only
// access: read
// returns: id, vector
// engines: neo4j
CALL db.index.vector.queryNodes('trajectory_vector', $explore, $vector) YIELD node AS j, score
WITH j, score
ORDER BY score DESC, j.id
LIMIT $window
MATCH (j)-[s:STEP]->(t:Tool)
WHERE j.success AND s.ok
WITH j, score, sum(CASE
  WHEN t.status = 'active'
   AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
   AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
   AND (NOT $read_only OR t.effects = 'read')
  THEN 0 ELSE 1 END) AS hidden
WHERE hidden = 0
WITH j, score
ORDER BY score DESC, j.id
LIMIT $count
RETURN j.id AS id, j.vector AS vector
ORDER BY score DESC, id
