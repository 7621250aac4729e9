// The tools of a service: what they are now, whose, and what of them anybody approved.
// params: service
// access: read
// returns: id, status, successor, approved_hash, content_hash, owner
MATCH (t:Tool {service: $service})
RETURN t.id AS id, t.status AS status, t.successor AS successor, t.approved_hash AS approved_hash,
       t.content_hash AS content_hash, t.owner AS owner
ORDER BY id
