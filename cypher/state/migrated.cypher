// Enter an applied schema file into the ledger. The number never goes back: two may migrate at once.
// params: number, name, at
// access: write
// returns:
MATCH (r:Registry {id: 'registry'})
MERGE (m:Migration {id: $number})
SET m.name = $name, m.at = $at,
    r.schema = CASE WHEN r.schema > $number THEN r.schema ELSE $number END
