// The text of every trajectory that its vector is made of.
// params:
// access: read
// returns: id, text
MATCH (j:Trajectory)
WHERE j.request <> ''
RETURN j.id AS id, j.request AS text
ORDER BY id
