// Count values that came out of one call as this field and went into a later one as that field.
// Rows of the same pair are summed before they come here.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (f:Field {name: row.output})
MATCH (g:Field {name: row.input})
MERGE (f)-[e:FLOWS]->(g)
ON CREATE SET e.count = row.count, e.last_seen = row.last_seen
ON MATCH SET e.count = e.count + row.count, e.weight = e.weight + row.count,
             e.last_seen = CASE WHEN e.last_seen > row.last_seen THEN e.last_seen ELSE row.last_seen END
