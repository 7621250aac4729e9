// Everything that is kept on these tools, counters and times included, but for their vectors.
// params: ids
// access: read
// returns: id, name, key, title, description, document, version, content_hash, service, family, status, successor, owner, visibility, scopes, effects, frequency, entry_frequency, calls, errors, registered, updated, approved_hash, approved_by, approved_at
UNWIND $ids AS id
MATCH (t:Tool {id: id})
RETURN t.id AS id, t.name AS name, t.key AS key, t.title AS title, t.description AS description,
       t.document AS document, t.version AS version, t.content_hash AS content_hash,
       t.service AS service, t.family AS family, t.status AS status, t.successor AS successor,
       t.owner AS owner, t.visibility AS visibility, t.scopes AS scopes, t.effects AS effects,
       t.frequency AS frequency, t.entry_frequency AS entry_frequency, t.calls AS calls,
       t.errors AS errors, t.registered AS registered, t.updated AS updated,
       t.approved_hash AS approved_hash, t.approved_by AS approved_by,
       t.approved_at AS approved_at
ORDER BY id
