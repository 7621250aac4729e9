// Create or update services.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (s:Service {name: row.name})
SET s.title = row.title, s.description = row.description, s.owner = row.owner, s.source = row.source,
    s.digest = row.digest, s.links = row.links
