// Whether this operation was already done, and what it answered.
// params: operation
// access: read
// returns: revision, result
MATCH (o:Operation {id: $operation})
RETURN o.revision AS revision, o.result AS result
