// Go on counting revisions where an exported registry stopped, never backwards.
// params: revision
// access: write
// returns:
MATCH (r:Registry {id: 'registry'})
SET r.revision = CASE WHEN $revision > r.revision THEN $revision ELSE r.revision END
