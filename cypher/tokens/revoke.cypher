// Take a token back; it stays, for whoever asks later what it was.
// params: id, at
// access: write
// returns:
MATCH (t:Token {id: $id})
SET t.revoked = $at
