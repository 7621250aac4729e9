"""The frontier: the candidates around a request, and their expansion in Cypher."""
