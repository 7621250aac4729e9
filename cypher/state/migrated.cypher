// Enter an applied schema file into the ledger.
// params: number, name, at
// access: write
// returns:
MATCH (r:Registry {id: 'registry'})
MERGE (m:Migration {id: $number})
SET m.name = $name, m.at = $at, r.schema = $number
