// Add to the counters of tools: trajectories, entries, calls, errors.
// params: rows
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.frequency = t.frequency + row.frequency,
    t.entry_frequency = t.entry_frequency + row.entry_frequency,
    t.calls = t.calls + row.calls,
    t.errors = t.errors + row.errors
