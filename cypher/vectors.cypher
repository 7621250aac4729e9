// Vectors and terms of tools and trajectories.

// name: await
// Wait until the vector indexes have caught up with what was written.
// params:
// access: read
// returns:
// engines: neo4j
CALL db.awaitIndexes(60);

// name: tool_encoded
// Which text the vector of each tool was made of, as a digest.
// params:
// access: read
// returns: id, digest
// engines: neo4j
MATCH (t:Tool)
WHERE t.vector IS NOT NULL
RETURN t.id AS id, t.vector_of AS digest
ORDER BY id;

// name: tool_forget
// Take the vectors off all nodes of tool, before another encoder makes them.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (t:Tool)
WHERE t.vector IS NOT NULL
REMOVE t.vector, t.vector_bytes, t.vector_of;

// name: tool_set
// Put vectors, as numbers for the index and as bytes for who reads them, terms with what each adds to a
// score, and the grams of names on nodes of tool.
// params: rows
// access: write
// returns:
// engines: neo4j
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.vector_of = row.digest, t.terms = row.terms, t.term_gains = row.gains,
    t.name_grams = row.grams, t.vector_bytes = row.bytes
WITH t, row
CALL db.create.setNodeVectorProperty(t, 'vector', row.vector);

// name: tool_texts
// The text of every tool, a line for each part: words are searched in all of it, vectors are made of
// its head, the parts without inputs. A store that was not written since it kept one text has that one,
// read so that a server does not warn of a name that it never saw.
// params:
// access: read
// returns: id, text, head
MATCH (t:Tool)
WITH t.id AS id, coalesce(t.search_parts, [coalesce(properties(t).document, '')]) AS parts
RETURN id,
       parts[0] + reduce(text = '', part IN parts[1..] | text + '\n' + part) AS text,
       reduce(text = '', part IN parts[..4] |
         text + CASE WHEN text = '' OR part = '' THEN part ELSE '. ' + part END) AS head
ORDER BY id;

// name: tool_vectors
// The vectors of these nodes of tool, null where there is none.
// params: ids
// access: read
// returns: id, vector
// engines: neo4j
UNWIND $ids AS id
MATCH (t:Tool {id: id})
RETURN id, t.vector_bytes AS vector
ORDER BY id;

// name: tool_width
// How long the vectors of nodes of tool are; no row where there is none.
// params:
// access: read
// returns: width
// engines: neo4j
MATCH (t:Tool)
WHERE t.vector IS NOT NULL
WITH size(t.vector) AS width
LIMIT 1
RETURN width
ORDER BY width;

// name: trajectory_encoded
// Which text the vector of each trajectory was made of, as a digest.
// params:
// access: read
// returns: id, digest
// engines: neo4j
MATCH (j:Trajectory)
WHERE j.vector IS NOT NULL
RETURN j.id AS id, j.vector_of AS digest
ORDER BY id;

// name: trajectory_forget
// Take the vectors off all nodes of trajectory, before another encoder makes them.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (j:Trajectory)
WHERE j.vector IS NOT NULL
REMOVE j.vector, j.vector_bytes, j.vector_of;

// name: trajectory_set
// Put vectors, as numbers for the index and as bytes for who reads them, and terms on nodes of trajectory.
// params: rows
// access: write
// returns:
// engines: neo4j
UNWIND $rows AS row
MATCH (j:Trajectory {id: row.id})
SET j.vector_of = row.digest, j.terms = row.terms, j.vector_bytes = row.bytes
WITH j, row
CALL db.create.setNodeVectorProperty(j, 'vector', row.vector);

// name: trajectory_texts
// The text of every trajectory, which words and vectors are made of.
// params:
// access: read
// returns: id, text, head
MATCH (j:Trajectory)
WHERE j.request <> ''
RETURN j.id AS id, j.request AS text, j.request AS head
ORDER BY id;

// name: trajectory_vectors
// The vectors of these nodes of trajectory, null where there is none.
// params: ids
// access: read
// returns: id, vector
// engines: neo4j
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})
RETURN id, j.vector_bytes AS vector
ORDER BY id;

// name: trajectory_width
// How long the vectors of nodes of trajectory are; no row where there is none.
// params:
// access: read
// returns: width
// engines: neo4j
MATCH (j:Trajectory)
WHERE j.vector IS NOT NULL
WITH size(j.vector) AS width
LIMIT 1
RETURN width
ORDER BY width;

// name: tool_encoded_of
// Which text the vectors of these tools were made of, as a digest.
// params: ids
// access: read
// returns: id, digest
// engines: neo4j
UNWIND $ids AS id
MATCH (t:Tool {id: id})
WHERE t.vector IS NOT NULL
RETURN t.id AS id, t.vector_of AS digest
ORDER BY id;

// name: trajectory_encoded_of
// Which text the vectors of these trajectories were made of, as a digest.
// params: ids
// access: read
// returns: id, digest
// engines: neo4j
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})
WHERE j.vector IS NOT NULL
RETURN j.id AS id, j.vector_of AS digest
ORDER BY id;

// name: tool_texts_of
// The texts of these tools; see tool_texts.
// params: ids
// access: read
// returns: id, text, head
UNWIND $ids AS tool
MATCH (t:Tool {id: tool})
WITH t.id AS id, coalesce(t.search_parts, [coalesce(properties(t).document, '')]) AS parts
RETURN id,
       parts[0] + reduce(text = '', part IN parts[1..] | text + '\n' + part) AS text,
       reduce(text = '', part IN parts[..4] |
         text + CASE WHEN text = '' OR part = '' THEN part ELSE '. ' + part END) AS head
ORDER BY id;

// name: trajectory_texts_of
// The texts of these trajectories; see trajectory_texts.
// params: ids
// access: read
// returns: id, text, head
UNWIND $ids AS trajectory
MATCH (j:Trajectory {id: trajectory})
WHERE j.request <> ''
RETURN j.id AS id, j.request AS text, j.request AS head
ORDER BY id;

// name: tool_page
// The texts of so many tools behind an id, in the order of their ids; see tool_texts.
// params: after, count
// access: read
// returns: id, text, head
MATCH (t:Tool)
WHERE t.id > $after
WITH t.id AS id, coalesce(t.search_parts, [coalesce(properties(t).document, '')]) AS parts
ORDER BY id
LIMIT $count
RETURN id,
       parts[0] + reduce(text = '', part IN parts[1..] | text + '\n' + part) AS text,
       reduce(text = '', part IN parts[..4] |
         text + CASE WHEN text = '' OR part = '' THEN part ELSE '. ' + part END) AS head
ORDER BY id;

// name: trajectory_page
// The texts of so many trajectories behind an id, in the order of their ids; see trajectory_texts.
// params: after, count
// access: read
// returns: id, text, head
MATCH (j:Trajectory)
WHERE j.id > $after AND j.request <> ''
RETURN j.id AS id, j.request AS text, j.request AS head
ORDER BY id
LIMIT $count;
