// The tools of a service and whether anybody approved them.
// params: service
// access: read
// returns: id, approved_hash
MATCH (t:Tool {service: $service})
RETURN t.id AS id, t.approved_hash AS approved_hash
ORDER BY id
