// Link trajectories to the tools they called, in order.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (j:Trajectory {id: row.trajectory})
MATCH (t:Tool {id: row.tool})
MERGE (j)-[s:STEP {idx: row.idx}]->(t)
SET s.ok = row.ok
