// Tools that wait for approval: quarantined, with the version that is there now.
// params:
// access: read
// returns: id, version, content_hash, approved_hash
MATCH (t:Tool)
WHERE t.status = 'quarantined'
RETURN t.id AS id, t.version AS version, t.content_hash AS content_hash,
       t.approved_hash AS approved_hash
ORDER BY id
