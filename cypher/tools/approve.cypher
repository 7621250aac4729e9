// Approve what tools are now: their content hash becomes the baseline.
// params: ids, by, at
// access: write
// returns:
UNWIND $ids AS id
MATCH (t:Tool {id: id})
SET t.status = 'active', t.approved_hash = t.content_hash, t.approved_by = $by, t.approved_at = $at
