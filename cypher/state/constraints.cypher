// The constraints that exist, to compare with those that spm relies on.
// params:
// access: read
// returns: name
SHOW CONSTRAINTS YIELD name
RETURN name
ORDER BY name
