// What a menu reads: the frontier around the tools that the search found.

// name: asked
// What was asked in these trajectories.
// params: ids
// access: read
// returns: id, request
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})
RETURN j.id AS id, j.request AS request
ORDER BY id;

// name: frontier
// Candidates of a request in order, with what is known among them and what a menu shows of them:
// those kept, then observed neighbours of the sources, producers of what these lack, and the
// fallback up to a size. Vectors are null on the embedded engine, which keeps them in a side file.
// Where `counted` is no null, candidates that are not among them come with the ways of trajectories
// through them, as in menu/ways.
// params: sources, kept, fallback, given, same, per_source, neighbours, producers, size, counted, team, scopes, read_only
// access: read
// returns: id, name, title, description, effects, service, family, frequency, entry, takes, gives, precedes, before, ways, vector
CALL () {
  UNWIND $sources AS source
  MATCH (a:Tool {id: source.id})-[e:PRECEDES]-(t:Tool)
  WHERE t.id <> a.id
    AND visible(t)
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
  MATCH (a:Tool {id: source.id})-[:REQUIRES]->(f:Field)
  WITH DISTINCT a.id AS tool, source.weight AS weight, near,
       coalesce(head([pair IN $same WHERE pair.field = f.name | pair.stands]), f.name) AS field
  WHERE NOT field IN $given
  WITH near, field, collect(weight) AS weights
  WITH near, field, weights,
       [pair IN $same WHERE pair.stands = field | pair.field] + [field] AS names
  UNWIND names AS name
  MATCH (:Field {name: name})<-[:PRODUCES]-(t:Tool)
  WHERE visible(t)
    AND NOT EXISTS {
      MATCH (t)-[:REQUIRES]->(g:Field)
      WHERE g.name IN names
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
WHERE visible(t)
WITH found, place, t
ORDER BY place
LIMIT $size
OPTIONAL MATCH (t)-[e:PRECEDES|BEFORE]->(other:Tool)
WHERE other.id IN $kept OR other.id IN found OR other.id IN $fallback
WITH place, t, type(e) AS type, other.id AS other, toFloat(coalesce(e.weight, e.count)) AS count
ORDER BY type, other
WITH place, t, collect(CASE WHEN other IS NOT NULL THEN [type, other, count] END) AS pairs
CALL (t) {
  MATCH (t)-[:REQUIRES]->(f:Field)
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
CALL (t) {
  UNWIND CASE WHEN $counted IS NULL OR t.id IN $counted THEN [] ELSE [t.id] END AS id
  MATCH (:Tool {id: id})<-[own:STEP]-(j:Trajectory)
  WHERE own.ok AND j.success
  WITH DISTINCT j
  MATCH (j)-[s:STEP]->(step:Tool)
  WHERE s.ok
  WITH j, s.idx AS idx, step.id AS tool, CASE
    WHEN visible(step)
    THEN 0 ELSE 1 END AS hidden
  ORDER BY idx
  WITH j, collect(tool) AS way, sum(hidden) AS hidden
  WHERE hidden = 0
  WITH way, count(*) AS count
  ORDER BY way
  RETURN collect([way, count]) AS ways
}
RETURN t.id AS id, t.name AS name, t.title AS title, t.description AS description,
       t.effects AS effects, t.service AS service, t.family AS family,
       t.frequency AS frequency, t.entry_frequency AS entry, takes, gives,
       [pair IN pairs WHERE pair[0] = 'PRECEDES' | pair[1..]] AS precedes,
       [pair IN pairs WHERE pair[0] = 'BEFORE' | pair[1..]] AS before,
       ways, t.vector_bytes AS vector
ORDER BY place;

// name: remembered
// The steps of remembered trajectories in their order.
// params: ids
// access: read
// returns: trajectory, tool
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})-[s:STEP]->(t:Tool)
WHERE s.ok AND j.success
WITH j.id AS trajectory, s.idx AS idx, t.id AS tool
ORDER BY trajectory, idx
RETURN trajectory, tool;

// name: ways
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
  WHEN visible(t)
  THEN 0 ELSE 1 END AS hidden
ORDER BY idx
WITH j, collect(tool) AS way, sum(hidden) AS hidden
WHERE hidden = 0
RETURN way, count(*) AS count
ORDER BY way;
