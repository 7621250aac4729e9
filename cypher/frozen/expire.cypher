// Forget the frozen menus and approvals whose time is over.
// params: at
// access: write
// returns:
MATCH (n)
WHERE (n:FrozenMenu OR n:Approval) AND n.expires <= $at
DETACH DELETE n
