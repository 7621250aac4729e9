// Active tools that no trajectory used.
// params:
// access: read
// returns: tool, service
MATCH (t:Tool)
WHERE t.status = 'active' AND t.frequency = 0
RETURN t.id AS tool, t.service AS service
ORDER BY tool
