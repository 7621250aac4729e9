// What a caller sees. `visible(tool)` is the one condition; every query that filters by caller uses it.

// fragment: recalled(trajectory)
// Successful trajectories with a step that did its work, of which a caller sees all such steps.
trajectory.success
  AND EXISTS { MATCH (trajectory)-[s:STEP]->(:Tool) WHERE s.ok }
  AND NOT EXISTS {
    MATCH (trajectory)-[s:STEP]->(t:Tool)
    WHERE s.ok AND NOT coalesce(visible(t), false)
  };

// fragment: seen_with_c(tool)
// Active tools that everybody sees who sees the tool `c`, because what decides that is the same.
tool.status = 'active'
  AND tool.visibility = c.visibility
  AND coalesce(tool.owner, 0) = coalesce(c.owner, 0)
  AND coalesce(tool.scopes, []) = coalesce(c.scopes, [])
  AND tool.effects IN ['read', c.effects];

// fragment: visible(tool)
// Active tools that are public or of the caller's team, that ask for no scope which the caller lacks,
// and that only read where the caller may only read.
tool.status = 'active'
  AND ($team IS NULL OR tool.visibility = 'public' OR tool.owner = $team)
  AND ($scopes IS NULL OR all(scope IN coalesce(tool.scopes, []) WHERE scope IN $scopes))
  AND (NOT $read_only OR tool.effects = 'read');

// name: calls
// How often these tools were called and failed, in trajectories of which a caller may see every step.
// params: ids, team, scopes, read_only
// access: read
// returns: id, calls, errors
UNWIND $ids AS id
MATCH (:Tool {id: id})<-[:STEP]-(j:Trajectory)
WITH DISTINCT j
MATCH (j)-[s:STEP]->(t:Tool)
WITH j, collect({id: t.id, ok: s.ok}) AS steps, sum(CASE
  WHEN visible(t)
  THEN 0 ELSE 1 END) AS hidden
WHERE hidden = 0
UNWIND steps AS step
RETURN step.id AS id, count(*) AS calls, sum(CASE WHEN step.ok THEN 0 ELSE 1 END) AS errors
ORDER BY id;

// name: fields
// The fields of the tools that a caller may see.
// params: team, scopes, read_only
// access: read
// returns: field
MATCH (t:Tool)-[:REQUIRES|ACCEPTS|PRODUCES]->(f:Field)
WHERE visible(t)
RETURN DISTINCT f.name AS field
ORDER BY field;

// name: tools
// The tools that a caller may see. The same condition stands in every query that filters by caller.
// params: team, scopes, read_only
// access: read
// returns: id
MATCH (t:Tool)
WHERE visible(t)
RETURN t.id AS id
ORDER BY id;

// name: trajectories
// The successful trajectories of which a caller may see every tool that did its work.
// params: team, scopes, read_only
// access: read
// returns: id
MATCH (j:Trajectory)-[s:STEP]->(t:Tool)
WHERE j.success AND s.ok
WITH j, sum(CASE
  WHEN visible(t)
  THEN 0 ELSE 1 END) AS hidden
WHERE hidden = 0
RETURN j.id AS id
ORDER BY id;
