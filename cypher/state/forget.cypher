// Drop the records of operations older than a revision; they can no longer be repeated safely.
// params: before
// access: write
// returns:
MATCH (o:Operation)
WHERE o.revision < $before
DETACH DELETE o
