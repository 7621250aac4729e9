// Candidates of a request in order, with what is known among them: those kept, then observed
// neighbours of the sources, producers of what these lack, and the fallback up to a size. Counts
// are those of the edges; for callers from whom something is hidden there is frontier_seen.
// params: sources, kept, fallback, given, same, per_source, neighbours, producers, size, team, scopes, read_only
// access: read
// returns: id, name, service, family, frequency, entry, takes, gives, precedes, before
CALL () {
  UNWIND $sources AS source
  MATCH (a:Tool {id: source.id})-[e:PRECEDES]-(t:Tool)
  WHERE t.id <> a.id
    AND t.status = 'active'
    AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
    AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
    AND (NOT $read_only OR t.effects = 'read')
  WITH a.id AS tool, source.weight AS weight, t.id AS id,
       sum(toFloat(coalesce(e.weight, e.count))) AS count
  WHERE count > 0
  WITH tool, weight, id, count
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
CALL (c, ids) {
  MATCH (c)-[e:PRECEDES]->(other:Tool)
  WHERE other.id IN ids
  WITH other.id AS other, toFloat(coalesce(e.weight, e.count)) AS count
  ORDER BY other
  RETURN collect([other, count]) AS precedes
}
CALL (c, ids) {
  MATCH (c)-[e:BEFORE]->(other:Tool)
  WHERE other.id IN ids
  WITH other.id AS other, toFloat(e.count) AS count
  ORDER BY other
  RETURN collect([other, count]) AS before
}
RETURN c.id AS id, c.name AS name, c.service AS service, c.family AS family,
       c.frequency AS frequency, c.entry_frequency AS entry, takes, gives, precedes, before
ORDER BY place
