// Calls, errors and use of every active tool.
// params:
// access: read
// returns: id, frequency, entry_frequency, calls, errors
MATCH (t:Tool)
WHERE t.status = 'active'
RETURN t.id AS id, t.frequency AS frequency, t.entry_frequency AS entry_frequency,
       t.calls AS calls, t.errors AS errors
ORDER BY id
