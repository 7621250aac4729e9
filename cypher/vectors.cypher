// Vectors and terms of tools and trajectories, and the search on Neo4j.

// name: await
// Wait until the vector indexes have caught up with what was written.
// params:
// access: read
// returns:
// engines: neo4j
CALL db.awaitIndexes(60);

// name: lookup
// Everything that is looked up by meaning and by words, in one answer: the registry's state, which
// fields are one, and of each kind the nodes that may be among the best, with their steps.
// By meaning: for each vector the first of a window of the nearest that a caller may see, ties by
// id; `near` has how many were in the window and its last score, which tells whoever asks whether it
// was wide enough. By words: for each list of terms the best by BM25, ties by id, counting what the caller
// may see alone (`held`: how many nodes hold each term); texts of one length with the same counts
// are scored once. Exact scores are made by whoever asks. How many nodes and terms are visible is
// only counted where `measured` is not the revision.
// params: kinds, vectors, terms, k1, b, window, exhaustive, measured, team, scopes, read_only
// access: read
// returns: kind, revision, encoder, same, every, explored, nodes, total, held, near, found
// engines: neo4j
CALL () {
  OPTIONAL MATCH (r:Registry {id: 'registry'})
  RETURN r.revision AS revision, r.encoder AS encoder
}
CALL () {
  MATCH (f:Field)-[:SAME_AS]->(g:Field)
  // A field that only hidden tools have must not join two others.
  WHERE $team IS NULL AND $scopes IS NULL AND NOT $read_only
     OR EXISTS { MATCH (t:Tool)-[:REQUIRES|ACCEPTS|PRODUCES]->(f) WHERE visible(t) }
    AND EXISTS { MATCH (t:Tool)-[:REQUIRES|ACCEPTS|PRODUCES]->(g) WHERE visible(t) }
  WITH f.name AS field, g.name AS same
  ORDER BY field, same
  RETURN collect([field, same]) AS same
}
CALL () {
  UNWIND [kind IN $kinds WHERE kind.name = 'trajectory'] AS kind
  MATCH (t:Tool)
  WHERE NOT coalesce(visible(t), false)
  MATCH (t)<-[s:STEP]-(j:Trajectory)
  WHERE s.ok
  RETURN collect(DISTINCT j) AS hidden
}
UNWIND $kinds AS kind
CALL (kind, hidden, revision) {
  UNWIND CASE WHEN revision = $measured OR kind.lists = [] THEN [] ELSE [true] END AS once
  MATCH (n:Tool|Trajectory)
  WHERE n.terms IS NOT NULL AND CASE WHEN n:Tool
    THEN kind.name = 'tool' AND visible(n)
    ELSE kind.name = 'trajectory' AND n.success AND NOT n IN hidden
      AND EXISTS { MATCH (n)-[s:STEP]->(:Tool) WHERE s.ok }
  END
  RETURN count(n) AS seen,
         sum(CASE n.terms WHEN '' THEN 0 ELSE size(split(n.terms, ' ')) END) AS summed
}
WITH *, CASE WHEN revision = $measured THEN kind.nodes ELSE seen END AS nodes,
     CASE WHEN revision = $measured THEN kind.total ELSE summed END AS total,
     CASE kind.name
       WHEN 'tool' THEN COUNT { MATCH (:Tool) }
       ELSE COUNT { MATCH (:Trajectory) }
     END AS every
WITH *, CASE WHEN every <= $exhaustive THEN every + 1 ELSE $window END AS explored
CALL (kind, hidden, explored) {
  UNWIND kind.vectors AS at
  CALL (kind, hidden, explored, at) {
    CALL db.index.vector.queryNodes(kind.name + '_vector', explored, $vectors[at])
    YIELD node AS n, score
    WITH n, score
    WHERE CASE WHEN n:Tool
      THEN visible(n)
      ELSE n.success AND NOT n IN hidden AND EXISTS { MATCH (n)-[s:STEP]->(:Tool) WHERE s.ok }
    END
    WITH n, score
    LIMIT $window
    WITH n, score
    ORDER BY score DESC, n.id
    WITH collect(n) AS some, min(score) AS lowest
    RETURN some[0..kind.limit] AS close, size(some) AS size, lowest
  }
  WITH collect([at, size, lowest]) AS near, collect(close) AS lists
  RETURN near, reduce(closest = [], close IN lists | closest + close) AS closest
}
CALL (kind, hidden, nodes, total) {
  UNWIND range(0, size($terms) - 1) AS place
  CALL db.index.fulltext.queryNodes(kind.name + '_text', $terms[place].query) YIELD node AS n
  WITH n, collect(place) AS places
  WHERE CASE WHEN n:Tool
    THEN visible(n)
    ELSE n.success AND NOT n IN hidden AND EXISTS { MATCH (n)-[s:STEP]->(:Tool) WHERE s.ok }
  END
  WITH n, places, n.terms AS terms, ' ' + replace(n.terms, ' ', '  ') + ' ' AS spaced
  WITH size(spaced) - size(terms) - 1 AS length, collect(n) AS alike,
       [place IN places | [place, size(split(spaced, $terms[place].spaced)) - 1]] AS counts
  WITH collect([length, [c IN counts WHERE c[1] > 0], alike]) AS texts
  CALL (texts) {
    UNWIND texts AS text
    UNWIND text[1] AS c
    WITH c[0] AS place, sum(size(text[2])) AS holders
    RETURN collect([place, holders]) AS pairs
  }
  WITH texts, [place IN range(0, size($terms) - 1) |
    coalesce(head([pair IN pairs WHERE pair[0] = place | pair[1]]), 0)] AS held
  WITH texts, held, [count IN held | log(1 + (nodes - count + 0.5) / (count + 0.5))] AS rarity,
       CASE WHEN nodes * total > 0 THEN 1.0 * total / nodes ELSE 1.0 END AS mean
  UNWIND kind.lists AS list
  UNWIND texts AS text
  WITH held, list, text[2] AS alike, round(1000000 * reduce(
      score = 0.0, c IN [c IN text[1] WHERE list IN $terms[c[0]].lists] |
      score + rarity[c[0]] * c[1] * ($k1 + 1) / (c[1] + $k1 * (1 - $b + $b * text[0] / mean))
    )) AS score
  WHERE score > 0
  WITH held, list, score, alike
  ORDER BY list, score DESC
  WITH held, list, collect([score, alike]) AS ranked
  UNWIND reduce(best = [0, 0.0, []], one IN ranked |
    CASE WHEN best[0] >= kind.limit AND one[0] < best[1] THEN best
    ELSE [best[0] + size(one[1]), one[0], best[2] + [one]] END)[2] AS one
  UNWIND one[1] AS n
  WITH held, list, one[0] AS score, n
  ORDER BY list, score DESC, n.id
  WITH held, list, collect(n) AS best
  UNWIND best[0..kind.limit] AS n
  RETURN head(collect(held)) AS held, collect(n) AS worded
}
CALL (closest, worded) {
  UNWIND closest + worded AS n
  WITH DISTINCT n
  OPTIONAL MATCH (n)-[s:STEP]->(t:Tool)
  WHERE s.ok
  WITH n, s.idx AS idx, t.id AS tool
  ORDER BY idx
  WITH n, collect(tool) AS way
  WITH n.id AS id, n.terms AS terms, n.vector_bytes AS vector, way
  ORDER BY id
  RETURN collect([id, terms, vector, way]) AS found
}
RETURN kind.name AS kind, revision, encoder, same, every, explored, nodes, total, held, near, found
ORDER BY kind;

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
// Put vectors, as numbers for the index and as bytes for who reads them, and terms on nodes of tool.
// params: rows
// access: write
// returns:
// engines: neo4j
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.vector_of = row.digest, t.terms = row.terms, t.vector_bytes = row.bytes
WITH t, row
CALL db.create.setNodeVectorProperty(t, 'vector', row.vector);

// name: tool_texts
// The text of every tool, its parts one after another: words are made of all of it, vectors of its
// head, the parts without inputs. A store that was not written since it kept one text has that one,
// read so that a server does not warn of a name that it never saw.
// params:
// access: read
// returns: id, text, head
MATCH (t:Tool)
WITH t.id AS id, coalesce(t.search_parts, [coalesce(properties(t).document, '')]) AS parts
RETURN id,
       reduce(text = '', part IN parts |
         text + CASE WHEN text = '' OR part = '' THEN part ELSE '. ' + part END) AS text,
       reduce(text = '', part IN parts[..4] |
         text + CASE WHEN text = '' OR part = '' THEN part ELSE '. ' + part END) AS head
ORDER BY id;

// name: tool_vectors
// The vectors of these nodes of tool, null where there is none, and how long vectors are here.
// params: ids
// access: read
// returns: id, vector, width
// engines: neo4j
MATCH (any:Tool)
WHERE any.vector IS NOT NULL
WITH size(any.vector) AS width
LIMIT 1
UNWIND $ids AS id
OPTIONAL MATCH (t:Tool {id: id})
RETURN id, t.vector_bytes AS vector, width
ORDER BY id;

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
// The vectors of these nodes of trajectory, null where there is none, and how long vectors are here.
// params: ids
// access: read
// returns: id, vector, width
// engines: neo4j
MATCH (any:Trajectory)
WHERE any.vector IS NOT NULL
WITH size(any.vector) AS width
LIMIT 1
UNWIND $ids AS id
OPTIONAL MATCH (j:Trajectory {id: id})
RETURN id, j.vector_bytes AS vector, width
ORDER BY id;

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
       reduce(text = '', part IN parts |
         text + CASE WHEN text = '' OR part = '' THEN part ELSE '. ' + part END) AS text,
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
