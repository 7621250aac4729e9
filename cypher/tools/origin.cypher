// From which source a service was registered.
// params: service
// access: read
// returns: source
MATCH (s:Service {name: $service})
RETURN s.source AS source
