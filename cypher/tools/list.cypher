// Tools with their service, family and use. A null parameter does not filter.
// params: service, family, status
// access: read
// returns: id, name, title, description, version, status, effects, service, family, frequency
MATCH (t:Tool)
WHERE ($service IS NULL OR t.service = $service)
  AND ($family IS NULL OR t.family = $family)
  AND ($status IS NULL OR t.status = $status)
RETURN t.id AS id, t.name AS name, t.title AS title, t.description AS description,
       t.version AS version, t.status AS status, t.effects AS effects, t.service AS service,
       t.family AS family, t.frequency AS frequency
ORDER BY id
