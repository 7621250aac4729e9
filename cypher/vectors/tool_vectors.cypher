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
RETURN id, coalesce(t.vector_bytes, t.vector) AS vector, width
ORDER BY id
