// Every active tool with what features are made of, what a menu shows, and who may see it.
// params:
// access: read
// returns: id, name, title, description, effects, visibility, owner, scopes, service, family, frequency, entry_frequency
MATCH (t:Tool)
WHERE t.status = 'active'
RETURN t.id AS id, t.name AS name, t.title AS title, t.description AS description,
       t.effects AS effects, t.visibility AS visibility, t.owner AS owner, t.scopes AS scopes,
       t.service AS service, t.family AS family, t.frequency AS frequency,
       t.entry_frequency AS entry_frequency
ORDER BY id
