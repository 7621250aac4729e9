// Forget the digest of a tool's service, because it no longer is what its manifest said.
// params: id
// access: write
// returns:
MATCH (t:Tool {id: $id})-[:PROVIDED_BY]->(s:Service)
SET s.digest = null
