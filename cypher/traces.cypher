// Traces: trajectories, their steps, and the counts on edges that they raise.

// name: ages
// Every observed transition with its count and when it was last seen.
// params:
// access: read
// returns: first, second, count, last_seen
MATCH (a:Tool)-[e:PRECEDES]->(b:Tool)
RETURN a.id AS first, b.id AS second, e.count AS count, e.last_seen AS last_seen
ORDER BY first, second;

// name: before
// Count who comes first at any distance: trajectories in which one tool runs before another. Pairs
// name tools by their places among the ids, so that each tool is looked up once.
// params: ids, pairs
// access: write
// returns:
UNWIND $pairs AS pair
MATCH (a:Tool {id: $ids[pair[0]]})
MATCH (b:Tool {id: $ids[pair[1]]})
WITH a, b, pair[2] AS count
MERGE (a)-[e:BEFORE]->(b)
ON CREATE SET e.count = count
ON MATCH SET e.count = e.count + count;

// name: flow_ages
// Every observed flow with its count and when it was last seen.
// params:
// access: read
// returns: output, input, count, last_seen
MATCH (f:Field)-[e:FLOWS]->(g:Field)
RETURN f.name AS output, g.name AS input, e.count AS count, e.last_seen AS last_seen
ORDER BY output, input;

// name: flows
// Count values that came out of one call as this field and went into a later one as that field.
// Rows of the same pair are summed before they come here.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (f:Field {name: row.output})
MATCH (g:Field {name: row.input})
MERGE (f)-[e:FLOWS]->(g)
ON CREATE SET e.count = row.count, e.last_seen = row.last_seen
ON MATCH SET e.count = e.count + row.count, e.weight = e.weight + row.count,
             e.last_seen = CASE WHEN e.last_seen > row.last_seen THEN e.last_seen ELSE row.last_seen END;

// name: hands
// Count values that one tool returned and another took, each under its own name for it.
// Rows of the same tools and names are summed before they come here.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (p:Tool {id: row.producer})
MATCH (c:Tool {id: row.consumer})
MERGE (p)-[e:HANDS {output: row.output, input: row.input}]->(c)
ON CREATE SET e.count = row.count, e.last_seen = row.last_seen
ON MATCH SET e.count = e.count + row.count,
             e.last_seen = CASE WHEN e.last_seen > row.last_seen THEN e.last_seen ELSE row.last_seen END;

// name: known
// Which of these trajectories are already there, and what is kept of them.
// params: ids
// access: read
// returns: id, request, source, success, time, path, pruned
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})
RETURN j.id AS id, j.request AS request, j.source AS source, j.success AS success, j.time AS time,
       j.path AS path, j.pruned AS pruned
ORDER BY id;

// name: observe
// Count fields that results were seen to carry. A declared edge stays declared and counts too.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
MATCH (f:Field {name: row.field})
MERGE (t)-[e:PRODUCES]->(f)
ON CREATE SET e.evidence = 'observed', e.count = row.count
ON MATCH SET e.count = e.count + row.count;

// name: old
// Trajectories from before a moment, oldest first.
// params: before, count
// access: read
// returns: id
MATCH (j:Trajectory)
WHERE j.time < $before AND j.pruned IS NULL
RETURN j.id AS id
ORDER BY j.time, id
LIMIT $count;

// name: precedes
// Count adjacent steps. Pairs name tools by their places among the ids, and those of the same tools
// are summed before they come here.
// params: ids, pairs
// access: write
// returns:
UNWIND $pairs AS pair
MATCH (a:Tool {id: $ids[pair[0]]})
MATCH (b:Tool {id: $ids[pair[1]]})
WITH a, b, pair[2] AS count, pair[3] AS last_seen
MERGE (a)-[e:PRECEDES]->(b)
ON CREATE SET e.count = count, e.last_seen = last_seen
ON MATCH SET e.count = e.count + count, e.weight = e.weight + count,
             e.last_seen = CASE WHEN e.last_seen > last_seen THEN e.last_seen ELSE last_seen END;

// name: prune
// Empty trajectories, so that only their ids are left: a second import still finds them, and counts
// on tools and transitions stay.
// params: ids
// access: write
// returns:
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})
SET j.request = '', j.path = [], j.pruned = true, j.vector = null, j.vector_bytes = null, j.vector_of = null,
    j.terms = null;

// name: prune_steps
// Cut the steps of trajectories that are pruned.
// params: ids
// access: write
// returns:
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})-[s:STEP]->(:Tool)
DELETE s;

// name: sources
// Trajectories by where they came from.
// params:
// access: read
// returns: source, trajectories
MATCH (j:Trajectory)
RETURN j.source AS source, count(j) AS trajectories
ORDER BY trajectories DESC, source;


// name: summary
// How many trajectories there are, how many succeeded, from when to when.
// params:
// access: read
// returns: trajectories, successful, first, last
MATCH (j:Trajectory)
RETURN count(j) AS trajectories, sum(CASE WHEN j.success THEN 1 ELSE 0 END) AS successful,
       min(j.time) AS first, max(j.time) AS last;

// name: tools
// Calls, errors and use of every active tool.
// params:
// access: read
// returns: id, frequency, entry_frequency, calls, errors
MATCH (t:Tool)
WHERE t.status = 'active'
RETURN t.id AS id, t.frequency AS frequency, t.entry_frequency AS entry_frequency,
       t.calls AS calls, t.errors AS errors
ORDER BY id;

// name: upsert
// Write trajectories that are new, and link each to the tools it called, in order; steps name tools
// by their places among the ids. Only the request and names are kept, never a value of a call.
// params: ids, rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (j:Trajectory {id: row.id})
SET j.request = row.request, j.source = row.source, j.success = row.success, j.time = row.time,
    j.path = row.path
WITH row, j
UNWIND row.steps AS step
MATCH (t:Tool {id: $ids[step[0]]})
WITH j, t, step[1] AS idx, step[2] AS ok
CREATE (j)-[:STEP {idx: idx, ok: ok}]->(t);

// name: usage
// Add to the counters of tools: trajectories, entries, calls, errors.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.frequency = t.frequency + row.frequency,
    t.entry_frequency = t.entry_frequency + row.entry_frequency,
    t.calls = t.calls + row.calls,
    t.errors = t.errors + row.errors;

// name: weigh
// Write how much transitions still weigh; their counts stay.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (a:Tool {id: row.first})-[e:PRECEDES]->(b:Tool {id: row.second})
SET e.weight = row.weight;

// name: weigh_flows
// Write how much observed flows still weigh; their counts stay.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (f:Field {name: row.output})-[e:FLOWS]->(g:Field {name: row.input})
SET e.weight = row.weight;
