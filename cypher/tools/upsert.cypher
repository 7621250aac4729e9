// Create or update tools. Counters start at zero and are never reset by a registration.
// params: rows, at
// access: write
// returns:
UNWIND $rows AS row
MERGE (t:Tool {id: row.id})
ON CREATE SET t.frequency = 0, t.entry_frequency = 0, t.calls = 0, t.errors = 0, t.registered = $at
SET t.name = row.name, t.key = row.key, t.title = row.title, t.description = row.description,
    t.document = row.document, t.version = row.version, t.content_hash = row.content_hash,
    t.service = row.service, t.family = row.family, t.status = row.status,
    t.successor = row.successor, t.owner = row.owner, t.visibility = row.visibility,
    t.scopes = row.scopes, t.effects = row.effects, t.updated = $at
