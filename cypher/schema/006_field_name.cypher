// A field is known by its canonical name.
// params:
// access: schema
// returns:
CREATE CONSTRAINT field_name IF NOT EXISTS FOR (f:Field) REQUIRE f.name IS UNIQUE
