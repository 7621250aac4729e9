"""The schema of the graph: the properties of every label and relationship type."""

from typing import Any

LABELS: dict[str, tuple[str, ...]] = {
    "Registry": ("id", "revision", "schema", "encoder", "operation", "filling"),
    "Migration": ("id", "name", "at"),
    "Operation": ("id", "kind", "revision", "at", "result"),
    "Service": (
        "name", "title", "description", "owner", "source", "digest", "links", "map", "access",
        "etag",
    ),
    "Family": ("name",),
    "Resource": ("id", "name", "service"),
    "Field": ("name", "type", "aliases"),
    "Tool": (
        "id", "name", "key", "title", "description", "search_parts", "version", "content_hash",
        "service", "family", "status", "successor", "owner", "visibility", "scopes", "effects",
        "frequency", "entry_frequency", "calls", "errors", "registered", "updated",
        "approved_hash", "approved_by", "approved_at", "effects_reason", "effects_by",
        "effects_at", "source_effects", "source_effects_reason", "access", "vector",
        "vector_bytes", "vector_of", "terms", "term_gains", "name_grams", "audience",
    ),
    "ToolVersion": (
        "id", "tool_id", "name", "version", "number", "content_hash", "definition", "requires",
        "produces", "published",
    ),
    "Trajectory": (
        "id", "request", "source", "success", "time", "path", "pruned", "vector",
        "vector_bytes", "vector_of", "terms",
    ),
    "EffectsDecision": (
        "id", "tool", "number", "kind", "before", "after", "reason", "by", "at",
    ),
    "FrozenMenu": ("id", "team", "request", "tools", "content", "created", "expires"),
    "Approval": ("id", "menu", "tool", "by", "at", "expires"),
    "Token": (
        "id", "name", "team", "scopes", "read_only", "may", "created", "expires", "revoked",
    ),
    "Audience": (
        "id", "status", "visibility", "owner", "scopes", "effects", "tools",
    ),
    "Term": ("name",),
}  # fmt: skip

# What each label and each type of relationship stands for; `spm schema` shows it.
MEANINGS: dict[str, str] = {
    "Registry": "One node: the revision that every write raises, the schema, the encoder.",
    "Migration": "A schema file that was applied: the ledger.",
    "Operation": "A write under the id of its client, so that none is done twice.",
    "Service": "Who provides tools: an API, an MCP server, a manifest.",
    "Family": "What kind of thing tools work on, as one word.",
    "Resource": "A kind of thing of a service that fields identify and tools act on.",
    "Field": "A named value that tools take or give, under its canonical name.",
    "Tool": "Something that an agent can call; its id is service/name.",
    "ToolVersion": "A published version with its whole definition; it never changes.",
    "Trajectory": "A trace without arguments and results: a request and its tools.",
    "FrozenMenu": "A menu that is kept with the versions of its tools.",
    "Approval": "A person's yes to one call.",
    "Token": "A token of the service, by the hash of its secret.",
    "Audience": "Tools that the same callers see, and how many they are (Neo4j).",
    "Term": "A word that texts of tools hold (Neo4j).",
    "HELD_BY": "How many tools of the audience hold the term.",
    "EffectsDecision": "A person's word on the effects of tools; it outlives registrations.",
    "PROVIDED_BY": "The tool belongs to the service.",
    "IN_FAMILY": "The tool works on this kind of thing.",
    "REQUIRES": "An input that a call must have; what the value identifies.",
    "ACCEPTS": "An optional input; what the value identifies.",
    "PRODUCES": "A field of the tool's answer, and how that is known.",
    "HAS_VERSION": "A published version of the tool.",
    "PRECEDES": "One ran directly before the other in traces.",
    "BEFORE": "One ran somewhere before the other in traces.",
    "STEP": "The trace called the tool at this place.",
    "SAME_AS": "A person said that two names mean one thing; read in both directions.",
    "IS_A": "A person said that a field is of a kind: assignee_id is a user_id.",
    "IDENTIFIES": "A value of the field says which one of the resource is meant.",
    "ACTS_ON": "What the tool does to the resource.",
    "GIVES": "The resource is in the answer: itself (no role), or a reference to it.",
    "FEEDS": "The first can run before the second, because it makes these inputs.",
    "FLOWS": "Values that came out under one name went in under the other.",
    "HANDS": "Traces handed a value from one tool to the other.",
}

# Made from texts, by the embedded store beside its graph: no part of what a node is.
DERIVED = frozenset(
    {"vector", "vector_bytes", "vector_of", "terms", "term_gains", "name_grams", "audience"}
)

RELATIONSHIPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "PROVIDED_BY": ("Tool", "Service", ()),
    "IN_FAMILY": ("Tool", "Family", ()),
    "REQUIRES": ("Tool", "Field", ("resource", "role")),
    "ACCEPTS": ("Tool", "Field", ("resource", "role")),
    "PRODUCES": ("Tool", "Field", ("evidence", "count")),
    "HAS_VERSION": ("Tool", "ToolVersion", ()),
    "PRECEDES": ("Tool", "Tool", ("count", "last_seen", "weight")),
    "BEFORE": ("Tool", "Tool", ("count",)),
    "STEP": ("Trajectory", "Tool", ("idx", "ok")),
    "SAME_AS": ("Field", "Field", ("reviewed_by", "at")),
    "IS_A": ("Field", "Field", ("reviewed_by", "at")),
    "IDENTIFIES": ("Field", "Resource", ("role",)),
    "ACTS_ON": ("Tool", "Resource", ("verb",)),
    "GIVES": ("Tool", "Resource", ("role", "many", "evidence")),
    "FEEDS": ("Tool", "Tool", ("fields", "evidence", "weight")),
    "FLOWS": ("Field", "Field", ("count", "last_seen", "weight")),
    "HANDS": ("Tool", "Tool", ("output", "input", "count", "last_seen")),
    "HELD_BY": ("Term", "Audience", ("tools",)),
}


def node(labels: list[str], properties: dict[str, object]) -> dict[str, object]:
    """A node as every engine answers it: without engine ids, invented properties and vectors."""
    known = {name for label in labels for name in LABELS.get(label, properties)}
    kept = {
        key: properties[key]
        for key in sorted(properties)
        if key in known and key not in DERIVED and properties[key] is not None
    }
    return {"labels": sorted(labels), "properties": kept}


def relationship(kind: str, properties: dict[str, object]) -> dict[str, object]:
    """A relationship as every engine answers it."""
    return {"type": kind, "properties": {key: properties[key] for key in sorted(properties)}}


def path(
    nodes: list[dict[str, object]], edges: list[dict[str, object]], ends: list[tuple[int, int]]
) -> dict[str, object]:
    """A path as every engine answers it: each relationship names the places of its two nodes."""
    placed = [
        {**edge, "start": start, "end": end} for edge, (start, end) in zip(edges, ends, strict=True)
    ]
    return {"nodes": nodes, "relationships": placed}


def plain(value: Any) -> Any:
    """Bring what the embedded engine answers into the form that both engines answer."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {"id", "labels", "properties"}:
            return node(value["labels"], value["properties"])
        if value.keys() == {"id", "start", "end", "type", "properties"}:
            return relationship(value["type"], value["properties"])
        if value.keys() == {"nodes", "relationships"}:
            return _path(value["nodes"], value["relationships"])
        return {key: plain(item) for key, item in value.items()}
    return value


def _path(nodes: list[Any], edges: list[Any]) -> dict[str, object]:
    # The two places of an edge are known, its direction is not: one may walk against the arrow.
    ends = [
        (place, place + 1) if edge["start"] == nodes[place]["id"] else (place + 1, place)
        for place, edge in enumerate(edges)
    ]
    return path([plain(n) for n in nodes], [plain(e) for e in edges], ends)
