// Write trajectories as an export has them.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MERGE (j:Trajectory {id: row.id})
SET j.request = row.request, j.source = row.source, j.success = row.success, j.time = row.time,
    j.path = row.path, j.pruned = row.pruned
