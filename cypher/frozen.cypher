// Frozen menus, and approvals of single calls.

// name: approval
// The approval of a call, as long as it holds.
// params: id, at
// access: read
// returns: id, by
MATCH (a:Approval {id: $id})
WHERE a.expires > $at
RETURN a.id AS id, a.by AS by;

// name: approve
// Let one call run once: a person looked at it.
// params: id, menu, tool, by, at, expires
// access: write
// returns:
MERGE (a:Approval {id: $id})
SET a.menu = $menu, a.tool = $tool, a.by = $by, a.at = $at, a.expires = $expires;

// name: expire
// Forget the frozen menus and approvals whose time is over.
// params: at
// access: write
// returns:
MATCH (n)
WHERE (n:FrozenMenu OR n:Approval) AND n.expires <= $at
DETACH DELETE n;

// name: get
// A frozen menu that has not expired.
// params: id, at
// access: read
// returns: id, team, content, created, expires
MATCH (m:FrozenMenu {id: $id})
WHERE m.expires > $at
RETURN m.id AS id, m.team AS team, m.content AS content, m.created AS created,
       m.expires AS expires;

// name: list
// The frozen menus of a team, or of everybody, that have not expired.
// params: team, at
// access: read
// returns: id, team, request, tools, created, expires
MATCH (m:FrozenMenu)
WHERE m.expires > $at AND ($team IS NULL OR m.team = $team)
RETURN m.id AS id, m.team AS team, m.request AS request, m.tools AS tools,
       m.created AS created, m.expires AS expires
ORDER BY created, id;

// name: put
// Keep a frozen menu; one that is there already only lives longer.
// params: id, team, request, tools, content, at, expires
// access: write
// returns:
MERGE (m:FrozenMenu {id: $id})
ON CREATE SET m.team = $team, m.request = $request, m.tools = $tools, m.content = $content,
              m.created = $at
SET m.expires = $expires;

// name: remove
// Forget a frozen menu, and the approvals of its calls.
// params: id
// access: write
// returns:
MATCH (n)
WHERE (n:FrozenMenu AND n.id = $id) OR (n:Approval AND n.menu = $id)
DETACH DELETE n;

// name: spend
// Use an approval up.
// params: id
// access: write
// returns:
MATCH (a:Approval {id: $id})
DETACH DELETE a;
