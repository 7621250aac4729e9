// The registry's revision, its operations, the ledger of migrations, and counts.

// name: constraints
// The constraints that exist, to compare with those that spm relies on.
// params:
// access: read
// returns: name
SHOW CONSTRAINTS YIELD name
RETURN name
ORDER BY name;

// name: counts
// How much of everything there is.
// params:
// access: read
// returns: tools, versions, fields, families, services, trajectories, transitions
RETURN COUNT { MATCH (:Tool) } AS tools,
       COUNT { MATCH (:ToolVersion) } AS versions,
       COUNT { MATCH (:Field) } AS fields,
       COUNT { MATCH (:Family) } AS families,
       COUNT { MATCH (:Service) } AS services,
       COUNT { MATCH (:Trajectory) } AS trajectories,
       COUNT { MATCH (:Tool)-[:PRECEDES]->(:Tool) } AS transitions;

// name: edge_counts
// How many relationships of each type there are, without those that only a search reads.
// params:
// access: read
// returns: type, count
MATCH ()-[e]->()
WHERE type(e) <> 'HELD_BY'
RETURN type(e) AS type, count(e) AS count
ORDER BY type;

// name: encoder
// Write down which encoder made the vectors.
// params: encoder
// access: write
// returns:
MATCH (r:Registry {id: 'registry'})
SET r.encoder = $encoder;

// name: know_absent
// Let the embedded engine know properties of a label that no node has, in a snapshot that is thrown away.
// params: label, absent
// access: write
// returns:
MATCH (n)
WHERE $label IN labels(n)
WITH n
LIMIT 1
SET n += $absent;

// name: node_counts
// How many nodes of each label there are, without those that only a search reads.
// params:
// access: read
// returns: label, count
MATCH (n)
WHERE NOT n:Term AND NOT n:Audience
UNWIND labels(n) AS label
RETURN label, count(*) AS count
ORDER BY label;

// name: hold
// Stand in the writers' line without raising the revision: for what changes no menu.
// params:
// access: write
// returns: revision
MERGE (r:Registry {id: 'registry'})
ON CREATE SET r.revision = 0, r.schema = 0
ON MATCH SET r.revision = r.revision
RETURN r.revision AS revision;

// name: lock
// Raise the revision. Every write runs this first: the node's lock puts writers in one order,
// so what they read afterwards cannot change under them.
// params:
// access: write
// returns: revision
MERGE (r:Registry {id: 'registry'})
ON CREATE SET r.revision = 1, r.schema = 0
ON MATCH SET r.revision = r.revision + 1
RETURN r.revision AS revision;

// name: migrated
// Enter an applied schema file into the ledger. The number never goes back: two may migrate at once.
// params: number, name, at
// access: write
// returns:
MATCH (r:Registry {id: 'registry'})
MERGE (m:Migration {id: $number})
SET m.name = $name, m.at = $at,
    r.schema = CASE WHEN r.schema > $number THEN r.schema ELSE $number END;

// name: note
// Remember an operation that changed no menu: the last one that did stays the last.
// params: operation, kind, revision, at, result
// access: write
// returns:
MERGE (o:Operation {id: $operation})
SET o.kind = $kind, o.revision = $revision, o.at = $at, o.result = $result;

// name: operation
// Whether this operation was already done, and what it answered.
// params: operation
// access: read
// returns: revision, result
MATCH (o:Operation {id: $operation})
RETURN o.revision AS revision, o.result AS result;

// name: record
// Remember an operation under its client-made id, with its answer as JSON, and as the last one.
// params: operation, kind, revision, at, result
// access: write
// returns:
MERGE (o:Operation {id: $operation})
SET o.kind = $kind, o.revision = $revision, o.at = $at, o.result = $result
WITH o
MATCH (r:Registry {id: 'registry'})
SET r.operation = $operation;

// name: registry
// The registry's revision, schema number and the encoder of its vectors.
// params:
// access: read
// returns: revision, schema, encoder
MATCH (r:Registry {id: 'registry'})
RETURN r.revision AS revision, r.schema AS schema, r.encoder AS encoder;

// name: stamp
// What names the state of the registry: its revision, and the last operation, whose id is unique.
// params:
// access: read
// returns: revision, operation
// engines: neo4j
MATCH (r:Registry {id: 'registry'})
RETURN r.revision AS revision, r.operation AS operation;
