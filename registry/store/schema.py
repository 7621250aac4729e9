"""The schema of the graph: the properties of every label and relationship type."""

from typing import Any

LABELS: dict[str, tuple[str, ...]] = {
    "Registry": ("id", "revision", "schema", "encoder", "operation"),
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
        "id", "name", "key", "title", "description", "document", "version", "content_hash",
        "service", "family", "status", "successor", "owner", "visibility", "scopes", "effects",
        "frequency", "entry_frequency", "calls", "errors", "registered", "updated",
        "approved_hash", "approved_by", "approved_at", "access", "vector", "vector_bytes",
        "vector_of", "terms",
    ),
    "ToolVersion": (
        "id", "tool_id", "name", "version", "number", "content_hash", "definition", "requires",
        "produces", "published",
    ),
    "Trajectory": (
        "id", "request", "source", "success", "time", "path", "pruned", "vector",
        "vector_bytes", "vector_of", "terms",
    ),
    "FrozenMenu": ("id", "team", "request", "tools", "content", "created", "expires"),
    "Approval": ("id", "menu", "tool", "by", "at", "expires"),
    "Token": (
        "id", "name", "team", "scopes", "read_only", "may", "created", "expires", "revoked",
    ),
}  # fmt: skip

# Made from texts, by the embedded store beside its graph: no part of what a node is.
DERIVED = frozenset({"vector", "vector_bytes", "vector_of", "terms"})

RELATIONSHIPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "PROVIDED_BY": ("Tool", "Service", ()),
    "IN_FAMILY": ("Tool", "Family", ()),
    "REQUIRES": ("Tool", "Field", ("required", "resource", "role")),
    "PRODUCES": ("Tool", "Field", ("evidence", "count")),
    "HAS_VERSION": ("Tool", "ToolVersion", ()),
    "PRECEDES": ("Tool", "Tool", ("count", "last_seen", "weight")),
    "BEFORE": ("Tool", "Tool", ("count",)),
    "STEP": ("Trajectory", "Tool", ("idx", "ok")),
    "SAME_AS": ("Field", "Field", ("reviewed_by", "at")),
    "IDENTIFIES": ("Field", "Resource", ("role",)),
    "ACTS_ON": ("Tool", "Resource", ("verb",)),
    "GIVES": ("Tool", "Resource", ("role", "many", "evidence")),
    "FEEDS": ("Tool", "Tool", ("fields", "evidence", "weight")),
    "FLOWS": ("Field", "Field", ("count", "last_seen", "weight")),
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


def plain(value: Any) -> Any:
    """Bring what the embedded engine answers into the form that both engines answer."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {"id", "labels", "properties"}:
            return node(value["labels"], value["properties"])
        if value.keys() == {"id", "start", "end", "type", "properties"}:
            return relationship(value["type"], value["properties"])
        return {key: plain(item) for key, item in value.items()}
    return value
