// Search on Neo4j: indexes find what may be among the best, `registry/search` scores it.

// name: add_audiences
// Add to how many tools an audience has.
// params: rows
// access: write
// returns:
// engines: neo4j
UNWIND $rows AS row
MERGE (a:Audience {id: row.id})
ON CREATE SET a.status = 'active', a.visibility = row.visibility, a.owner = row.owner,
              a.scopes = row.scopes, a.effects = row.effects, a.tools = 0
SET a.tools = a.tools + row.tools;

// name: add_terms
// Add to how many tools of an audience hold a term.
// params: rows
// access: write
// returns:
// engines: neo4j
UNWIND $rows AS row
MATCH (a:Audience {id: row.audience})
MERGE (w:Term {name: row.term})
MERGE (w)-[h:HELD_BY]->(a)
ON CREATE SET h.tools = 0
SET h.tools = h.tools + row.tools;

// name: counted
// The terms of these tools, in which audience they count, and what that depends on.
// params: ids
// access: read
// returns: id, terms, audience, status, visibility, owner, scopes, effects
// engines: neo4j
UNWIND $ids AS id
MATCH (t:Tool {id: id})
RETURN t.id AS id, t.terms AS terms, t.audience AS audience, t.status AS status,
       t.visibility AS visibility, t.owner AS owner, t.scopes AS scopes, t.effects AS effects
ORDER BY id;

// name: set_audiences
// Write in which audience tools count.
// params: rows
// access: write
// returns:
// engines: neo4j
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.audience = row.audience;

// name: statistics
// The registry's state, and what the rarity of terms is made of: how many tools a caller sees, and how
// many of them hold each term.
// params: terms, team, scopes, read_only
// access: read
// returns: revision, encoder, every_tool, every_trajectory, tools, held
// engines: neo4j
OPTIONAL MATCH (r:Registry {id: 'registry'})
WITH r.revision AS revision, r.encoder AS encoder
CALL () {
  MATCH (a:Audience)
  WHERE visible(a)
  RETURN collect(a) AS audiences, sum(a.tools) AS tools
}
CALL (audiences) {
  UNWIND $terms AS term
  MATCH (w:Term {name: term})-[h:HELD_BY]->(a:Audience)
  WHERE a IN audiences
  WITH term, sum(h.tools) AS count
  ORDER BY term
  RETURN collect([term, count]) AS held
}
RETURN revision, encoder, COUNT { MATCH (:Tool) } AS every_tool,
       COUNT { MATCH (:Trajectory) } AS every_trajectory, tools, held;

// name: tools_by_vector
// The nearest tools to any of these vectors that a caller sees. `more` says that a list ended among
// equals: then a longer one has to be asked for.
// params: vectors, explored, limit, window, team, scopes, read_only
// access: read
// returns: found, more
// engines: neo4j
UNWIND $vectors AS vector
CALL (vector) {
  CALL db.index.vector.queryNodes('tool_vector', $explored, vector) YIELD node AS t, score
  WITH t, score
  WHERE visible(t)
  WITH t, score
  LIMIT $limit
  WITH t, score
  ORDER BY score DESC, t.id
  WITH count(*) = $limit AS full, min(score) AS last, collect([t.id, score])[0..$window] AS hits
  RETURN [hit IN hits | hit[0]] AS ids,
         CASE WHEN full AND hits[-1][1] <= last THEN 1 ELSE 0 END AS cut
}
WITH collect(ids) AS lists, sum(cut) > 0 AS more
RETURN reduce(found = [], ids IN lists | found + ids) AS found, more;

// name: tools_by_words
// The first tools by words that a caller sees. Scores are the weights in the query, so that hidden
// tools cannot move them. `more` says that the list ended too early, or among equals: then a longer
// one has to be asked for.
// params: words, limit, window, team, scopes, read_only
// access: read
// returns: found, more
// engines: neo4j
CALL db.index.fulltext.queryNodes('tool_text', $words, {limit: $limit}) YIELD node AS t, score
WITH collect([t, score]) AS hits
CALL (hits) {
  UNWIND hits AS hit
  WITH hit[0] AS t, hit[1] AS score
  ORDER BY score DESC, t.id
  WITH t, score
  WHERE visible(t)
  WITH t, score
  LIMIT $window
  RETURN collect([t.id, score]) AS found
}
RETURN [hit IN found | hit[0]] AS found,
       size(hits) = $limit AND (size(found) < $window OR found[-1][1] <= hits[-1][1]) AS more;

// name: tools_found
// What the score of these tools is made of.
// params: ids, team, scopes, read_only
// access: read
// returns: id, terms, gains, grams, vector
// engines: neo4j
UNWIND $ids AS id
MATCH (t:Tool {id: id})
WHERE visible(t)
RETURN t.id AS id, t.terms AS terms, t.term_gains AS gains, t.name_grams AS grams,
       t.vector_bytes AS vector
ORDER BY id;

// name: trajectories_by_vector
// The nearest of the successful trajectories of which a caller sees every step that did its work, with
// the tools of these steps. `more` as in search/tools_by_words.
// params: vector, explored, limit, window, team, scopes, read_only
// access: read
// returns: found, more
// engines: neo4j
CALL db.index.vector.queryNodes('trajectory_vector', $explored, $vector) YIELD node AS j, score
WITH j, score
LIMIT $limit
WITH collect([j, score]) AS hits
CALL (hits) {
  UNWIND hits AS hit
  WITH hit[0] AS j, hit[1] AS score
  ORDER BY score DESC, j.id
  WITH j, score
  WHERE recalled(j)
  WITH j, score
  LIMIT $window
  CALL (j) {
    MATCH (j)-[s:STEP]->(t:Tool)
    WHERE s.ok
    WITH s.idx AS idx, t.id AS tool
    ORDER BY idx
    RETURN collect(tool) AS way
  }
  RETURN collect([j.id, score, j.vector_bytes, way]) AS found
}
RETURN found,
       size(hits) = $limit AND (size(found) < $window OR found[-1][1] <= hits[-1][1]) AS more;

// name: trajectories_by_words
// The first by words of the successful trajectories of which a caller sees every step that did its work,
// with the weight of the terms that they share with the request and the tools of these steps. `more`
// as in search/tools_by_words.
// params: words, limit, window, team, scopes, read_only
// access: read
// returns: found, more
// engines: neo4j
CALL db.index.fulltext.queryNodes('trajectory_text', $words, {limit: $limit}) YIELD node AS j, score
WITH collect([j, score]) AS hits
CALL (hits) {
  UNWIND hits AS hit
  WITH hit[0] AS j, hit[1] AS score
  ORDER BY score DESC, j.id
  WITH j, score
  WHERE recalled(j)
  WITH j, score
  LIMIT $window
  CALL (j) {
    MATCH (j)-[s:STEP]->(t:Tool)
    WHERE s.ok
    WITH s.idx AS idx, t.id AS tool
    ORDER BY idx
    RETURN collect(tool) AS way
  }
  RETURN collect([j.id, score, j.vector_bytes, way]) AS found
}
RETURN found,
       size(hits) = $limit AND (size(found) < $window OR found[-1][1] <= hits[-1][1]) AS more;

// name: trajectories_seen
// Of these the successful trajectories of which a caller sees every step that did its work, with the
// tools of these steps.
// params: ids, team, scopes, read_only
// access: read
// returns: id, vector, way
// engines: neo4j
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})
WHERE recalled(j)
CALL (j) {
  MATCH (j)-[s:STEP]->(t:Tool)
  WHERE s.ok
  WITH s.idx AS idx, t.id AS tool
  ORDER BY idx
  RETURN collect(tool) AS way
}
RETURN j.id AS id, j.vector_bytes AS vector, way
ORDER BY id;

// name: uncounted
// Tools that have terms and count in no audience.
// params: limit
// access: read
// returns: id
// engines: neo4j
MATCH (t:Tool)
WHERE t.status = 'active' AND t.terms IS NOT NULL AND t.audience IS NULL
RETURN t.id AS id
ORDER BY id
LIMIT $limit;
