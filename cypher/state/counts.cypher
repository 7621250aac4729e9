// How much of everything there is.
// params:
// access: read
// returns: tools, versions, fields, families, services, trajectories, transitions
RETURN COUNT { MATCH (:Tool) } AS tools,
       COUNT { MATCH (:ToolVersion) } AS versions,
       COUNT { MATCH (:Field) } AS fields,
       COUNT { MATCH (:Family) } AS families,
       COUNT { MATCH (:Service) } AS services,
       COUNT { MATCH (:Trajectory) } AS trajectories,
       COUNT { MATCH (:Tool)-[:PRECEDES]->(:Tool) } AS transitions
