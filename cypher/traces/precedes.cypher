// Count adjacent steps. Rows of the same pair are summed before they come here.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (a:Tool {id: row.first})
MATCH (b:Tool {id: row.second})
MERGE (a)-[e:PRECEDES]->(b)
ON CREATE SET e.count = row.count, e.last_seen = row.last_seen
ON MATCH SET e.count = e.count + row.count, e.weight = e.weight + row.count,
             e.last_seen = CASE WHEN e.last_seen > row.last_seen THEN e.last_seen ELSE row.last_seen END
