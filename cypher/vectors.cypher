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
  WITH f.name AS field, g.name AS same
  ORDER BY field, same
  RETURN collect([field, same]) AS same
}
CALL () {
  UNWIND [kind IN $kinds WHERE kind.name = 'trajectory'] AS kind
  MATCH (t:Tool)
  WHERE NOT coalesce(t.status = 'active'
    AND ($team IS NULL OR t.visibility = 'public' OR t.owner = $team)
    AND ($scopes IS NULL OR all(scope IN coalesce(t.scopes, []) WHERE scope IN $scopes))
    AND (NOT $read_only OR t.effects = 'read'), false)
  MATCH (t)<-[s:STEP]-(j:Trajectory)
  WHERE s.ok
  RETURN collect(DISTINCT j) AS hidden
}
UNWIND $kinds AS kind
CALL (kind, hidden, revision) {
  UNWIND CASE WHEN revision = $measured OR kind.lists = [] THEN [] ELSE [true] END AS once
  MATCH (n:Tool|Trajectory)
  WHERE n.terms IS NOT NULL AND CASE WHEN n:Tool
    THEN kind.name = 'tool' AND n.status = 'active'
      AND ($team IS NULL OR n.visibility = 'public' OR n.owner = $team)
      AND ($scopes IS NULL OR all(scope IN coalesce(n.scopes, []) WHERE scope IN $scopes))
      AND (NOT $read_only OR n.effects = 'read')
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
      THEN n.status = 'active'
        AND ($team IS NULL OR n.visibility = 'public' OR n.owner = $team)
        AND ($scopes IS NULL OR all(scope IN coalesce(n.scopes, []) WHERE scope IN $scopes))
        AND (NOT $read_only OR n.effects = 'read')
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
    THEN n.status = 'active'
      AND ($team IS NULL OR n.visibility = 'public' OR n.owner = $team)
      AND ($scopes IS NULL OR all(scope IN coalesce(n.scopes, []) WHERE scope IN $scopes))
      AND (NOT $read_only OR n.effects = 'read')
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
  WITH n.id AS id, n.terms AS terms, coalesce(n.vector_bytes, n.vector) AS vector, way
  ORDER BY id
  RETURN collect([id, terms, vector, way]) AS found
}
RETURN kind.name AS kind, revision, encoder, same, every, explored, nodes, total, held, near, found
ORDER BY kind
