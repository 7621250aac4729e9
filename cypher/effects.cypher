// What people decided about the effects of tools, beside what sources and importers say.

// name: decisions
// Every decision about the effects of tools, removed tools included. Null ids stand for all tools.
// params: ids
// access: read
// returns: tool, number, kind, before, after, reason, by, at
MATCH (d:EffectsDecision)
WHERE $ids IS NULL OR d.tool IN $ids
RETURN d.tool AS tool, d.number AS number, d.kind AS kind, d.before AS before, d.after AS after,
       d.reason AS reason, d.by AS by, d.at AS at
ORDER BY tool, number;

// name: derive
// Write what the source of unchanged tools now says, or what better rules read out of it. Where a
// person decided, that decision stays.
// params: rows, at
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.source_effects = row.effects, t.source_effects_reason = row.effects_reason, t.updated = $at,
    t.effects = CASE WHEN t.effects_by IS NULL THEN row.effects ELSE t.effects END,
    t.effects_reason = CASE WHEN t.effects_by IS NULL THEN row.effects_reason
                       ELSE t.effects_reason END;

// name: set
// Write the effects that hold, with who decided them; null where nobody did.
// params: rows, at
// access: write
// returns:
UNWIND $rows AS row
MATCH (t:Tool {id: row.id})
SET t.effects = row.effects, t.effects_reason = row.effects_reason, t.effects_by = row.effects_by,
    t.effects_at = row.effects_at, t.source_effects = row.source_effects,
    t.source_effects_reason = row.source_effects_reason, t.updated = $at;

// name: tools
// The effects of every tool, why, what its source says, and who decided otherwise.
// params:
// access: read
// returns: id, name, effects, effects_reason, effects_by, effects_at, source_effects, source_effects_reason
MATCH (t:Tool)
RETURN t.id AS id, t.name AS name, t.effects AS effects, t.effects_reason AS effects_reason,
       t.effects_by AS effects_by, t.effects_at AS effects_at,
       coalesce(t.source_effects, t.effects) AS source_effects,
       coalesce(t.source_effects_reason, t.effects_reason) AS source_effects_reason
ORDER BY id;
