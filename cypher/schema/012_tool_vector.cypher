// Nearest tools by document vector. Without dimensions, so that another encoder fits; without
// quantization, so that scores are exact.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE VECTOR INDEX tool_vector IF NOT EXISTS FOR (t:Tool) ON (t.vector)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}
