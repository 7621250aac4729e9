// Cut the steps of trajectories that are pruned.
// params: ids
// access: write
// returns:
UNWIND $ids AS id
MATCH (j:Trajectory {id: id})-[s:STEP]->(:Tool)
DELETE s
