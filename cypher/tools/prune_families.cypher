// Drop families without tools.
// params:
// access: write
// returns:
MATCH (f:Family)
WHERE NOT (f)--()
DELETE f
