// Remember an operation under its client-made id, with its answer as JSON, and as the last one.
// params: operation, kind, revision, at, result
// access: write
// returns:
MERGE (o:Operation {id: $operation})
SET o.kind = $kind, o.revision = $revision, o.at = $at, o.result = $result
WITH o
MATCH (r:Registry {id: 'registry'})
SET r.operation = $operation
