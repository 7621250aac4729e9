// Version and content hash of tools, to recognise what did not change.
// params: ids
// access: read
// returns: id, version, content_hash
UNWIND $ids AS id
MATCH (t:Tool {id: id})
RETURN t.id AS id, t.version AS version, t.content_hash AS content_hash
ORDER BY id
