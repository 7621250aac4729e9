// How many nodes there are of each kind that has vectors.
// params:
// access: read
// returns: tool, trajectory
RETURN COUNT { MATCH (:Tool) } AS tool,
       COUNT { MATCH (:Trajectory) } AS trajectory
