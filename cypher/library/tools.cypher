// Every active tool with what features are made of.
// params:
// access: read
// returns: id, name, service, family, frequency, entry_frequency
MATCH (t:Tool)
WHERE t.status = 'active'
RETURN t.id AS id, t.name AS name, t.service AS service, t.family AS family,
       t.frequency AS frequency, t.entry_frequency AS entry_frequency
ORDER BY id
