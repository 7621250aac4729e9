// The text of every tool that its vector is made of.
// params:
// access: read
// returns: id, text
MATCH (t:Tool)
RETURN t.id AS id, t.document AS text
ORDER BY id
