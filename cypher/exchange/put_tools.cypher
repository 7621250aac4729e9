// Write tools as an export has them, counters and times included.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (t:Tool {id: row.id})
SET t.name = row.name, t.key = row.key, t.title = row.title, t.description = row.description,
    t.document = row.document, t.version = row.version, t.content_hash = row.content_hash,
    t.service = row.service, t.family = row.family, t.status = row.status,
    t.successor = row.successor, t.owner = row.owner, t.visibility = row.visibility,
    t.scopes = row.scopes, t.effects = row.effects, t.frequency = row.frequency,
    t.entry_frequency = row.entry_frequency, t.calls = row.calls, t.errors = row.errors,
    t.registered = row.registered, t.updated = row.updated,
    t.approved_hash = row.approved_hash, t.approved_by = row.approved_by,
    t.approved_at = row.approved_at
