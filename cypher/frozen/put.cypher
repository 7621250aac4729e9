// Keep a frozen menu; one that is there already only lives longer.
// params: id, team, request, tools, content, at, expires
// access: write
// returns:
MERGE (m:FrozenMenu {id: $id})
ON CREATE SET m.team = $team, m.request = $request, m.tools = $tools, m.content = $content,
              m.created = $at
SET m.expires = $expires
