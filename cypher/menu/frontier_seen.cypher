// As frontier, for callers from whom something is hidden: counts are made of the trajectories of
// which they may see every step that did its work, because edges also count the others.
// params: sources, kept, fallback, given, same, per_source, neighbours, producers, size, team, scopes, read_only
// access: read
// returns: id, name, service, family, frequency, entry, takes, gives, precedes, before
CALL () {
  UNWIND $sources AS source
  MATCH (a:Tool {id: source.id})<-[own:STEP]-(j:Trajectory)
  WHERE own.ok AND j.success
  WITH DISTINCT a.id AS tool, source.weight AS weight, j
  MATCH (j)-[s:STEP]->(t:Tool)
  WHERE s.ok
  WITH tool, weight, j, t.id AS id, s.idx AS idx, CASE
    WHEN t.status = 'active'
    AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
    AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
    AND (NOT $read_only OR t.effects = 'read')
    THEN 0 ELSE 1 END AS hidden
  ORDER BY idx
  WITH tool, weight, j, collect(id) AS way, sum(hidden) AS hidden
  WHERE hidden = 0
  UNWIND range(0, size(way) - 2) AS at
  WITH tool, weight, CASE
    WHEN way[at] = tool THEN way[at + 1] WHEN way[at + 1] = tool THEN way[at] ELSE tool END AS id
  WHERE id <> tool
  WITH tool, weight, id, count(*) AS count
  ORDER BY count DESC, id
  WITH tool, weight, collect(id)[0..$per_source] AS best
  UNWIND best AS id
  WITH id, sum(weight) AS score
  WHERE NOT id IN $kept
  WITH id, score
  ORDER BY score DESC, id
  LIMIT $neighbours
  RETURN collect(id) AS near
}
CALL (near) {
  UNWIND $sources AS source
  MATCH (a:Tool {id: source.id})-[r:REQUIRES]->(f:Field)
  WHERE r.required
  WITH DISTINCT a.id AS tool, source.weight AS weight, near,
       coalesce(head([pair IN $same WHERE pair.field = f.name | pair.stands]), f.name) AS field
  WHERE NOT field IN $given
  WITH near, field, collect(weight) AS weights
  WITH near, field, weights,
       [pair IN $same WHERE pair.stands = field | pair.field] + [field] AS names
  UNWIND names AS name
  MATCH (:Field {name: name})<-[:PRODUCES]-(t:Tool)
  WHERE t.status = 'active'
    AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
    AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
    AND (NOT $read_only OR t.effects = 'read')
    AND NOT EXISTS {
      MATCH (t)-[own:REQUIRES]->(g:Field)
      WHERE own.required AND g.name IN names
    }
  WITH near, field, weights, collect(DISTINCT t.id) AS makers
  WITH near, makers, reduce(total = 0, weight IN weights | total + weight / size(makers)) AS gain
  UNWIND makers AS id
  WITH near, id, sum(gain) AS score
  WHERE NOT id IN $kept AND NOT id IN near
  WITH id, score
  ORDER BY score DESC, id
  LIMIT $producers
  RETURN collect(id) AS makers
}
WITH $kept + near + makers + $fallback AS wanted
UNWIND range(0, size(wanted) - 1) AS place
WITH wanted[place] AS id, min(place) AS place
MATCH (t:Tool {id: id})
WHERE t.status = 'active'
  AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
  AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
  AND (NOT $read_only OR t.effects = 'read')
WITH id, place
ORDER BY place
LIMIT $size
WITH collect(id) AS ids
UNWIND range(0, size(ids) - 1) AS place
MATCH (c:Tool {id: ids[place]})
CALL (c) {
  MATCH (c)-[r:REQUIRES]->(f:Field)
  WHERE r.required
  WITH f.name AS field
  ORDER BY field
  RETURN collect(field) AS takes
}
CALL (c) {
  MATCH (c)-[:PRODUCES]->(f:Field)
  WITH f.name AS field
  ORDER BY field
  RETURN collect(field) AS gives
}
CALL (c) {
  MATCH (c)<-[own:STEP]-(j:Trajectory)
  WHERE own.ok AND j.success
  WITH DISTINCT c.id AS tool, j
  MATCH (j)-[s:STEP]->(t:Tool)
  WHERE s.ok
  WITH tool, j, t.id AS id, s.idx AS idx, CASE
    WHEN t.status = 'active'
    AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
    AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
    AND (NOT $read_only OR t.effects = 'read')
    THEN 0 ELSE 1 END AS hidden
  ORDER BY idx
  WITH tool, j, collect(id) AS way, sum(hidden) AS hidden
  WHERE hidden = 0
  WITH tool, way, head([at IN range(0, size(way) - 1) WHERE way[at] = tool]) AS first
  RETURN collect([way, first]) AS ways
}
CALL (c, ids, ways) {
  UNWIND ways AS run
  UNWIND range(0, size(run[0]) - 2) AS at
  WITH c, ids, run[0][at] AS tool, run[0][at + 1] AS other
  WHERE tool = c.id AND other IN ids
  WITH other, toFloat(count(*)) AS count
  ORDER BY other
  RETURN collect([other, count]) AS precedes
}
CALL (c, ids, ways) {
  UNWIND range(0, size(ways) - 1) AS run
  UNWIND ways[run][0][ways[run][1] + 1..] AS other
  WITH DISTINCT ids, ways, run, other
  WHERE other IN ids AND NOT other IN ways[run][0][0..ways[run][1] + 1]
  WITH other, toFloat(count(*)) AS count
  ORDER BY other
  RETURN collect([other, count]) AS before
}
RETURN c.id AS id, c.name AS name, c.service AS service, c.family AS family,
       size(ways) AS frequency, size([run IN ways WHERE run[1] = 0]) AS entry,
       takes, gives, precedes, before
ORDER BY place
