// The registry's revision, schema number and the encoder of its vectors.
// params:
// access: read
// returns: revision, schema, encoder
MATCH (r:Registry {id: 'registry'})
RETURN r.revision AS revision, r.schema AS schema, r.encoder AS encoder
