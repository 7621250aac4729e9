// Cut what a tool declared before its new declaration is written; observed edges stay.
// params: ids
// access: write
// returns:
UNWIND $ids AS id
MATCH (t:Tool {id: id})-[e:REQUIRES|PRODUCES|IN_FAMILY|PROVIDED_BY]->()
WHERE type(e) <> 'PRODUCES' OR e.evidence = 'declared'
DELETE e
