// Remove a tool with its edges. Its published versions stay.
// params: id
// access: write
// returns:
MATCH (t:Tool {id: $id})
DETACH DELETE t
