"""Commands that ask the graph: paths, impact, health, fields, Cypher."""
