// What the graph knows before a frontier: the steps of remembered trajectories in their order, and
// all pairs of fields reviewed as the same.
// params: ids
// access: read
// returns: steps, same
CALL () {
  UNWIND $ids AS id
  MATCH (j:Trajectory {id: id})-[s:STEP]->(t:Tool)
  WHERE s.ok AND j.success
  WITH j.id AS trajectory, s.idx AS idx, t.id AS tool
  ORDER BY trajectory, idx
  RETURN collect([trajectory, tool]) AS steps
}
CALL () {
  MATCH (f:Field)-[:SAME_AS]->(g:Field)
  WITH f.name AS field, g.name AS same
  ORDER BY field, same
  RETURN collect([field, same]) AS same
}
RETURN steps, same
