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

// name: candidates
// What is known of these tools and among them, and what a menu shows, in the order of their ids.
// params: ids, team, scopes, read_only
// access: read
// returns: id, name, title, description, effects, service, family, frequency, entry, takes, gives, precedes, before
UNWIND $ids AS id
MATCH (t:Tool {id: id})
WHERE visible(t)
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
  MATCH (t)-[e:PRECEDES]->(other:Tool)
  WHERE other.id IN $ids
  WITH other.id AS other, toFloat(coalesce(e.weight, e.count)) AS count
  ORDER BY other
  RETURN collect([other, count]) AS precedes
}
CALL (t) {
  MATCH (t)-[e:BEFORE]->(other:Tool)
  WHERE other.id IN $ids
  WITH other.id AS other, toFloat(e.count) AS count
  ORDER BY other
  RETURN collect([other, count]) AS before
}
RETURN t.id AS id, t.name AS name, t.title AS title, t.description AS description,
       t.effects AS effects, t.service AS service, t.family AS family,
       t.frequency AS frequency, t.entry_frequency AS entry, takes, gives, precedes, before
ORDER BY id;

// name: neighbours
// The tools that ran right before or after these sources, up to so many of each; those of several
// sources first.
// params: sources, per_source, limit, team, scopes, read_only
// access: read
// returns: id
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
ORDER BY score DESC, id
LIMIT $limit
RETURN id
ORDER BY score DESC, id;

// name: producers
// Who feeds these sources what the request does not show; the strongest edges first.
// params: sources, given, limit, team, scopes, read_only
// access: read
// returns: id
UNWIND $sources AS source
MATCH (:Tool {id: source.id})<-[e:FEEDS]-(t:Tool)
WHERE visible(t)
  AND any(field IN e.fields WHERE NOT field IN $given)
WITH t.id AS id, sum(source.weight * toInteger(round(1000 * e.weight))) AS score
ORDER BY score DESC, id
LIMIT $limit
RETURN id
ORDER BY score DESC, id;

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
