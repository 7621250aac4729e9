// Drop fields that no tool requires or produces any more.
// params:
// access: write
// returns:
MATCH (f:Field)
WHERE NOT (f)--()
DELETE f
