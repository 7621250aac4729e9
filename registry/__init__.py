"""The registry: tools, fields and trajectories as a graph, on Neo4j or embedded."""
