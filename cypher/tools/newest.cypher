// When a tool was last registered, changed or given another status: what is later is new.
// params:
// access: read
// returns: newest
MATCH (t:Tool)
RETURN max(t.updated) AS newest
ORDER BY newest
