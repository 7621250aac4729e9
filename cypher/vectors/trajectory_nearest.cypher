// The trajectory nodes nearest to a vector. Scores are made again by the caller, who has the vectors.
// params: count, vector
// access: read
// returns: id, vector
// engines: neo4j
CALL db.index.vector.queryNodes('trajectory_vector', $count, $vector) YIELD node, score
RETURN node.id AS id, node.vector AS vector
ORDER BY score DESC, id
