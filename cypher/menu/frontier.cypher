// Candidates of a request in order, with what is known among them: those kept, then observed
// neighbours of the sources, producers of what these lack, and the fallback up to a size.
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
WITH near + makers AS found
WITH found, $kept + found + [id IN $fallback WHERE NOT id IN found] AS wanted
UNWIND range(0, size(wanted) - 1) AS place
WITH found, place, wanted[place] AS id
MATCH (t:Tool {id: id})
WHERE t.status = 'active'
  AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
  AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
  AND (NOT $read_only OR t.effects = 'read')
WITH found, place, t
ORDER BY place
LIMIT $size
OPTIONAL MATCH (t)-[e:PRECEDES|BEFORE]->(other:Tool)
WHERE other.id IN $kept OR other.id IN found OR other.id IN $fallback
WITH place, t, type(e) AS type, other.id AS other, toFloat(coalesce(e.weight, e.count)) AS count
ORDER BY type, other
WITH place, t, collect(CASE WHEN other IS NOT NULL THEN [type, other, count] END) AS pairs
CALL (t) {
  MATCH (t)-[r:REQUIRES]->(f:Field)
  WHERE r.required
  WITH f.name AS field
  ORDER BY field
  RETURN collect(field) AS takes
}
CALL (t) {
  MATCH (t)-[:PRODUCES]->(f:Field)
  WITH f.name AS field
  ORDER BY field
  RETURN collect(field) AS gives
}
RETURN t.id AS id, t.name AS name, t.service AS service, t.family AS family,
       t.frequency AS frequency, t.entry_frequency AS entry, takes, gives,
       [pair IN pairs WHERE pair[0] = 'PRECEDES' | pair[1..]] AS precedes,
       [pair IN pairs WHERE pair[0] = 'BEFORE' | pair[1..]] AS before
ORDER BY place
