// What a menu reads: the frontier around the tools that the search found.
//
// Only the end that is known by its id has a label: the other one follows from the edge, and with a
// label a server may begin there, at the index of something that thousands of tools share.

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
// What is known of these tools, and what a menu shows, in the order of their ids.
// params: ids, team, scopes, read_only
// access: read
// returns: id, name, title, description, effects, service, family, frequency, entry, takes, gives
UNWIND $ids AS id
MATCH (t:Tool {id: id})
WHERE visible(t)
OPTIONAL MATCH (t)-[:REQUIRES]->(f)
WITH t, f.name AS field
ORDER BY field
WITH t, collect(field) AS takes
OPTIONAL MATCH (t)-[:PRODUCES]->(f)
WITH t, takes, f.name AS field
ORDER BY field
WITH t, takes, collect(field) AS gives
RETURN t.id AS id, t.name AS name, t.title AS title, t.description AS description,
       t.effects AS effects, t.service AS service, t.family AS family,
       t.frequency AS frequency, t.entry_frequency AS entry, takes, gives
ORDER BY id;

// name: neighbours
// The tools that ran right before or after these sources, up to so many of each; those of several
// sources first.
// params: sources, per_source, limit, team, scopes, read_only
// access: read
// returns: id
UNWIND $sources AS source
MATCH (a:Tool {id: source.id})-[e:PRECEDES]-(t)
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

// name: order
// How often one of these tools ran right before another, or anywhere before it.
// params: ids
// access: read
// returns: id, edge, other, count
UNWIND $ids AS id
MATCH (:Tool {id: id})-[e:PRECEDES|BEFORE]->(other)
WHERE other.id IN $ids
RETURN id, type(e) AS edge, other.id AS other, toFloat(coalesce(e.weight, e.count)) AS count
ORDER BY id, edge, other;

// name: producers
// Who feeds these sources what the request does not show; the strongest edges first.
// params: sources, given, limit, team, scopes, read_only
// access: read
// returns: id
UNWIND $sources AS source
MATCH (:Tool {id: source.id})<-[e:FEEDS]-(t)
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
MATCH (:Tool {id: id})<-[own:STEP]-(j)
WHERE own.ok AND j.success
WITH DISTINCT j
MATCH (j)-[s:STEP]->(t)
WHERE s.ok
WITH j, s.idx AS idx, t.id AS tool, CASE
  WHEN visible(t)
  THEN 0 ELSE 1 END AS hidden
ORDER BY idx
WITH j, collect(tool) AS way, sum(hidden) AS hidden
WHERE hidden = 0
RETURN way, count(*) AS count
ORDER BY way;
