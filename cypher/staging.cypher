// Filling an empty registry on a server: nodes wait under labels that no query asks for, batch by batch, and
// become visible in one transaction.

// name: claim
// Say who fills the registry from now on; who did before finds out with its next batch.
// params: by
// access: write
// returns:
// engines: neo4j
MATCH (r:Registry {id: 'registry'})
SET r.filling = $by;

// name: clear
// Remove some of the nodes that wait, and tell how many.
// params: count
// access: write
// returns: removed
// engines: neo4j
MATCH (n:IncomingService|IncomingFamily|IncomingField|IncomingResource|IncomingTool|IncomingToolVersion|IncomingTrajectory|IncomingEffectsDecision)
WITH n
LIMIT $count
DELETE n
RETURN count(*) AS removed;

// name: cut
// Cut some of the relationships of nodes that wait, and tell how many: before the nodes, because one
// of them may have more than a transaction can hold.
// params: count
// access: write
// returns: removed
// engines: neo4j
MATCH (n:IncomingService|IncomingFamily|IncomingField|IncomingResource|IncomingTool|IncomingToolVersion|IncomingTrajectory|IncomingEffectsDecision)-[e]->()
WITH e
LIMIT $count
DELETE e
RETURN count(*) AS removed;

// name: end
// Nobody fills the registry any more.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (r:Registry {id: 'registry'})
SET r.filling = null;

// name: hold
// Who fills the registry; the lock on the node keeps others from taking over within a batch.
// params:
// access: write
// returns: by
// engines: neo4j
MATCH (r:Registry {id: 'registry'})
SET r.filling = r.filling
RETURN r.filling AS by
ORDER BY by;

// name: waiting
// How many nodes wait to become visible.
// params:
// access: read
// returns: nodes
// engines: neo4j
MATCH (n:IncomingService|IncomingFamily|IncomingField|IncomingResource|IncomingTool|IncomingToolVersion|IncomingTrajectory|IncomingEffectsDecision)
RETURN count(n) AS nodes;

// name: index_service
// Service nodes that wait are found by their key, as those that are visible.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE CONSTRAINT incoming_service IF NOT EXISTS FOR (n:IncomingService) REQUIRE n.name IS UNIQUE;

// name: index_family
// Family nodes that wait are found by their key, as those that are visible.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE CONSTRAINT incoming_family IF NOT EXISTS FOR (n:IncomingFamily) REQUIRE n.name IS UNIQUE;

// name: index_field
// Field nodes that wait are found by their key, as those that are visible.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE CONSTRAINT incoming_field IF NOT EXISTS FOR (n:IncomingField) REQUIRE n.name IS UNIQUE;

// name: index_resource
// Resource nodes that wait are found by their key, as those that are visible.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE CONSTRAINT incoming_resource IF NOT EXISTS FOR (n:IncomingResource) REQUIRE n.id IS UNIQUE;

// name: index_tool
// Tool nodes that wait are found by their key, as those that are visible.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE CONSTRAINT incoming_tool IF NOT EXISTS FOR (n:IncomingTool) REQUIRE n.id IS UNIQUE;

// name: index_tool_version
// ToolVersion nodes that wait are found by their key, as those that are visible.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE CONSTRAINT incoming_tool_version IF NOT EXISTS FOR (n:IncomingToolVersion) REQUIRE n.id IS UNIQUE;

// name: index_trajectory
// Trajectory nodes that wait are found by their key, as those that are visible.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE CONSTRAINT incoming_trajectory IF NOT EXISTS FOR (n:IncomingTrajectory) REQUIRE n.id IS UNIQUE;

// name: index_effects_decision
// EffectsDecision nodes that wait are found by their key, as those that are visible.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE CONSTRAINT incoming_effects_decision IF NOT EXISTS FOR (n:IncomingEffectsDecision) REQUIRE n.id IS UNIQUE;

// name: reveal_service
// Make Service nodes visible that waited.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (n:IncomingService)
SET n:Service
REMOVE n:IncomingService;

// name: reveal_family
// Make Family nodes visible that waited.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (n:IncomingFamily)
SET n:Family
REMOVE n:IncomingFamily;

// name: reveal_field
// Make Field nodes visible that waited.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (n:IncomingField)
SET n:Field
REMOVE n:IncomingField;

// name: reveal_resource
// Make Resource nodes visible that waited.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (n:IncomingResource)
SET n:Resource
REMOVE n:IncomingResource;

// name: reveal_tool
// Make Tool nodes visible that waited.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (n:IncomingTool)
SET n:Tool
REMOVE n:IncomingTool;

// name: reveal_tool_version
// Make ToolVersion nodes visible that waited.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (n:IncomingToolVersion)
SET n:ToolVersion
REMOVE n:IncomingToolVersion;

// name: reveal_trajectory
// Make Trajectory nodes visible that waited.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (n:IncomingTrajectory)
SET n:Trajectory
REMOVE n:IncomingTrajectory;

// name: reveal_effects_decision
// Make EffectsDecision nodes visible that waited.
// params:
// access: write
// returns:
// engines: neo4j
MATCH (n:IncomingEffectsDecision)
SET n:EffectsDecision
REMOVE n:IncomingEffectsDecision;
