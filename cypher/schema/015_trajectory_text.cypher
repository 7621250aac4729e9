// Trajectories by the terms of their request; see tool_text for the analyzer.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE FULLTEXT INDEX trajectory_text IF NOT EXISTS FOR (j:Trajectory) ON EACH [j.terms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}
