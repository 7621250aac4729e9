"""Both engines behind one interface: Neo4j through its driver, and the embedded store."""
