// A service is known by its name.
// params:
// access: schema
// returns:
CREATE CONSTRAINT service_name IF NOT EXISTS FOR (s:Service) REQUIRE s.name IS UNIQUE
