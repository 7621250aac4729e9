// Status, approval and successor of tools, which a new registration must respect.
// params: ids
// access: read
// returns: id, status, successor, approved_hash, content_hash
UNWIND $ids AS id
MATCH (t:Tool {id: id})
RETURN t.id AS id, t.status AS status, t.successor AS successor, t.approved_hash AS approved_hash,
       t.content_hash AS content_hash
ORDER BY id
