// Use an approval up.
// params: id
// access: write
// returns:
MATCH (a:Approval {id: $id})
DETACH DELETE a
