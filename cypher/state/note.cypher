// Remember an operation that changed no menu: the last one that did stays the last.
// params: operation, kind, revision, at, result
// access: write
// returns:
MERGE (o:Operation {id: $operation})
SET o.kind = $kind, o.revision = $revision, o.at = $at, o.result = $result
