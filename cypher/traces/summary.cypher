// How many trajectories there are, how many succeeded, from when to when.
// params:
// access: read
// returns: trajectories, successful, first, last
MATCH (j:Trajectory)
RETURN count(j) AS trajectories, sum(CASE WHEN j.success THEN 1 ELSE 0 END) AS successful,
       min(j.time) AS first, max(j.time) AS last
