// Trajectories by where they came from.
// params:
// access: read
// returns: source, trajectories
MATCH (j:Trajectory)
RETURN j.source AS source, count(j) AS trajectories
ORDER BY trajectories DESC, source
