// Count who comes first at any distance: trajectories in which one tool runs before another.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (a:Tool {id: row.first})
MATCH (b:Tool {id: row.second})
MERGE (a)-[e:BEFORE]->(b)
ON CREATE SET e.count = row.count
ON MATCH SET e.count = e.count + row.count
