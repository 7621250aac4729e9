// Forget a frozen menu, and the approvals of its calls.
// params: id
// access: write
// returns:
MATCH (n)
WHERE (n:FrozenMenu AND n.id = $id) OR (n:Approval AND n.menu = $id)
DETACH DELETE n
