// Constraints and indexes, numbered. They are applied in order and entered into the ledger; never change one.

// name: 001_registry_id
// One registry node: revision, schema version, encoder. Every write takes its lock first.
// params:
// access: schema
// returns:
CREATE CONSTRAINT registry_id IF NOT EXISTS FOR (r:Registry) REQUIRE r.id IS UNIQUE;

// name: 002_migration_id
// The ledger: one node for each schema file that was applied.
// params:
// access: schema
// returns:
CREATE CONSTRAINT migration_id IF NOT EXISTS FOR (m:Migration) REQUIRE m.id IS UNIQUE;

// name: 003_operation_id
// One node for each write; its id is made by the client, so a lost answer can be repeated.
// params:
// access: schema
// returns:
CREATE CONSTRAINT operation_id IF NOT EXISTS FOR (o:Operation) REQUIRE o.id IS UNIQUE;

// name: 004_tool_id
// A tool is known by its id, service/name.
// params:
// access: schema
// returns:
CREATE CONSTRAINT tool_id IF NOT EXISTS FOR (t:Tool) REQUIRE t.id IS UNIQUE;

// name: 005_tool_version_id
// Every published version of a tool is kept under tool id @ version.
// params:
// access: schema
// returns:
CREATE CONSTRAINT tool_version_id IF NOT EXISTS FOR (v:ToolVersion) REQUIRE v.id IS UNIQUE;

// name: 006_field_name
// A field is known by its canonical name.
// params:
// access: schema
// returns:
CREATE CONSTRAINT field_name IF NOT EXISTS FOR (f:Field) REQUIRE f.name IS UNIQUE;

// name: 007_family_name
// A family is known by its name.
// params:
// access: schema
// returns:
CREATE CONSTRAINT family_name IF NOT EXISTS FOR (f:Family) REQUIRE f.name IS UNIQUE;

// name: 008_service_name
// A service is known by its name.
// params:
// access: schema
// returns:
CREATE CONSTRAINT service_name IF NOT EXISTS FOR (s:Service) REQUIRE s.name IS UNIQUE;

// name: 009_trajectory_id
// A trajectory is known by its id, so importing it twice changes nothing.
// params:
// access: schema
// returns:
CREATE CONSTRAINT trajectory_id IF NOT EXISTS FOR (j:Trajectory) REQUIRE j.id IS UNIQUE;

// name: 010_tool_key
// Tools are looked up by folded name: SendEmail, send_email and send-email share a key.
// params:
// access: schema
// returns:
CREATE INDEX tool_key IF NOT EXISTS FOR (t:Tool) ON (t.key);

// name: 011_tool_version_tool
// All versions of one tool.
// params:
// access: schema
// returns:
CREATE INDEX tool_version_tool IF NOT EXISTS FOR (v:ToolVersion) ON (v.tool_id);

// name: 012_tool_vector
// Nearest tools by document vector. Without dimensions, so that another encoder fits; without
// quantization, so that scores are exact.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE VECTOR INDEX tool_vector IF NOT EXISTS FOR (t:Tool) ON (t.vector)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};

// name: 013_trajectory_vector
// Nearest trajectories by request vector; see tool_vector for the options.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE VECTOR INDEX trajectory_vector IF NOT EXISTS FOR (j:Trajectory) ON (j.vector)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.enabled`: false}};

// name: 014_tool_text
// Tools by the terms of their document. Tokens are ours: the analyzer only cuts at spaces.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE FULLTEXT INDEX tool_text IF NOT EXISTS FOR (t:Tool) ON EACH [t.terms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};

// name: 015_trajectory_text
// Trajectories by the terms of their request; see tool_text for the analyzer.
// params:
// access: schema
// returns:
// engines: neo4j
CREATE FULLTEXT INDEX trajectory_text IF NOT EXISTS FOR (j:Trajectory) ON EACH [j.terms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}};

// name: 016_frozen_menu_id
// A frozen menu is known by the digest of what it holds.
// params:
// access: schema
// returns:
CREATE CONSTRAINT frozen_menu_id IF NOT EXISTS FOR (m:FrozenMenu) REQUIRE m.id IS UNIQUE;

// name: 017_approval_id
// An approval is known by the digest of the one call that it is for.
// params:
// access: schema
// returns:
CREATE CONSTRAINT approval_id IF NOT EXISTS FOR (a:Approval) REQUIRE a.id IS UNIQUE;

// name: 018_token_id
// A token is known by the SHA-256 of its secret, which nobody keeps.
// params:
// access: schema
// returns:
CREATE CONSTRAINT token_id IF NOT EXISTS FOR (t:Token) REQUIRE t.id IS UNIQUE;

// name: 019_resource_id
// A resource is known by its service and its name.
// params:
// access: schema
// returns:
CREATE CONSTRAINT resource_id IF NOT EXISTS FOR (r:Resource) REQUIRE r.id IS UNIQUE;

// name: 020_tool_service
// All tools of one service, which are read together when one of them changes.
// params:
// access: schema
// returns:
CREATE INDEX tool_service IF NOT EXISTS FOR (t:Tool) ON (t.service);

// name: 021_resource_service
// All resources of one service.
// params:
// access: schema
// returns:
CREATE INDEX resource_service IF NOT EXISTS FOR (r:Resource) ON (r.service);

// name: 022_optional_inputs
// Optional inputs become an edge type of their own; before, they were REQUIRES {required: false}.
// params:
// access: schema
// returns:
MATCH (t:Tool)-[e:REQUIRES]->(f:Field)
WHERE e.required = false
MERGE (t)-[a:ACCEPTS]->(f)
SET a.resource = e.resource, a.role = e.role
DELETE e;

// name: 023_required_inputs
// What is left of REQUIRES needs no mark.
// params:
// access: schema
// returns:
MATCH (:Tool)-[e:REQUIRES]->(:Field)
WHERE e.required IS NOT NULL
SET e.required = null;

// name: 024_effects_decision_id
// A decision about effects is known by its tool and its number.
// params:
// access: schema
// returns:
CREATE CONSTRAINT effects_decision_id IF NOT EXISTS FOR (d:EffectsDecision) REQUIRE d.id IS UNIQUE;

// name: 025_effects_decision_tool
// All decisions about one tool.
// params:
// access: schema
// returns:
CREATE INDEX effects_decision_tool IF NOT EXISTS FOR (d:EffectsDecision) ON (d.tool);

// name: 026_search_parts
// The text of a tool is kept by part. One from before is a single part, until its source is
// registered again.
// params:
// access: schema
// returns:
MATCH (t:Tool)
WHERE properties(t).document IS NOT NULL
SET t.search_parts = [properties(t).document]
SET t.document = null;

// name: 027_term_name
// A term that texts of tools hold, once for all audiences.
// params:
// access: schema
// returns:
CREATE CONSTRAINT term_name IF NOT EXISTS FOR (w:Term) REQUIRE w.name IS UNIQUE;

// name: 028_audience_id
// An audience is known by a digest of who belongs to it.
// params:
// access: schema
// returns:
CREATE CONSTRAINT audience_id IF NOT EXISTS FOR (a:Audience) REQUIRE a.id IS UNIQUE;
