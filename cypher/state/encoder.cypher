// Write down which encoder made the vectors.
// params: encoder
// access: write
// returns:
MATCH (r:Registry {id: 'registry'})
SET r.encoder = $encoder
