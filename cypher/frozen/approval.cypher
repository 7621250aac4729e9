// The approval of a call, as long as it holds.
// params: id, at
// access: read
// returns: id, by
MATCH (a:Approval {id: $id})
WHERE a.expires > $at
RETURN a.id AS id, a.by AS by
