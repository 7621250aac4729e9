// Drop services without tools.
// params:
// access: write
// returns:
MATCH (s:Service)
WHERE NOT (s)--()
DELETE s
