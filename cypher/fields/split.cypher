// Take back that two fields are the same.
// params: first, second
// access: write
// returns:
MATCH (f:Field {name: $first})-[e:SAME_AS]-(g:Field {name: $second})
DELETE e
