// The trajectory nodes nearest to a vector. Scores are made again by the caller, who has the vectors.
// params: explore, vector, count
// access: read
// returns: id, vector
// engines: neo4j
CALL db.index.vector.queryNodes('trajectory_vector', $explore, $vector) YIELD node, score
WITH node, score
ORDER BY score DESC, node.id
LIMIT $count
RETURN node.id AS id, node.vector AS vector
ORDER BY score DESC, id
