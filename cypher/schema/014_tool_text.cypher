// Tools by the terms of their document. Tokens are ours: the analyzer only cuts at spaces.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE FULLTEXT INDEX tool_text IF NOT EXISTS FOR (t:Tool) ON EACH [t.terms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}
