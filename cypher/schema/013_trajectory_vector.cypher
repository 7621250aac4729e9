// Nearest trajectories by request vector; see tool_vector for the options.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE VECTOR INDEX trajectory_vector IF NOT EXISTS FOR (j:Trajectory) ON (j.vector)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}}
