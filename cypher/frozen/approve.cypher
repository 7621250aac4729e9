// Let one call run once: a person looked at it.
// params: id, menu, tool, by, at, expires
// access: write
// returns:
MERGE (a:Approval {id: $id})
SET a.menu = $menu, a.tool = $tool, a.by = $by, a.at = $at, a.expires = $expires
