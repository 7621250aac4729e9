// The tools nearest to a vector that a caller may see, among the nearest of all. Scores are
// made again by whoever asks, who gets the vectors.
// params: explore, window, count, vector, team, scopes, read_only
// access: read
// returns: id, vector
// engines: neo4j
CALL db.index.vector.queryNodes('tool_vector', $explore, $vector) YIELD node AS t, score
WITH t, score
ORDER BY score DESC, t.id
LIMIT $window
WITH t, score
WHERE t.status = 'active'
  AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
  AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
  AND (NOT $read_only OR t.effects = 'read')
WITH t, score
ORDER BY score DESC, t.id
LIMIT $count
RETURN t.id AS id, t.vector AS vector
ORDER BY score DESC, id
