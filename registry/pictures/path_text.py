"""Nodes, relationships and paths of an answer, as a line of text and as short records.

`findUser -user_id→ createTicket`: a person reads what hands what to whom, and no hashes.
"""

from typing import Any

Thing = dict[str, Any]


def is_node(value: object) -> bool:
    """Whether a value of an answer is a node."""
    return isinstance(value, dict) and value.keys() == {"labels", "properties"}


def is_path(value: object) -> bool:
    """Whether a value of an answer is a path."""
    return isinstance(value, dict) and value.keys() == {"nodes", "relationships"}


def line(path: Thing) -> str:
    """A path in one line; arrows point as the relationships do."""
    parts = [node_name(path["nodes"][0])]
    for place, edge in enumerate(path["relationships"]):
        ahead = edge["start"] == place
        parts.append(f"-{_edge_name(edge)}→" if ahead else f"←{_edge_name(edge)}-")
        parts.append(node_name(path["nodes"][place + 1]))
    return " ".join(parts)


def record(path: Thing) -> Thing:
    """A path as nodes with name and service, and edges with type and what they carry."""
    nodes = path["nodes"]
    edges = [
        {
            "type": edge["type"],
            "from": _key(nodes[edge["start"]]),
            "to": _key(nodes[edge["end"]]),
            **edge["properties"],
        }
        for edge in path["relationships"]
    ]
    return {"nodes": [_node(node) for node in nodes], "edges": edges}


def short(value: Any) -> Any:
    """A value of an answer with every path in it as a record."""
    if is_path(value):
        return record(value)
    if isinstance(value, list):
        return [short(item) for item in value]
    if isinstance(value, dict):
        return {key: short(item) for key, item in value.items()}
    return value


def node_name(node: Thing) -> str:
    """What people call a node: its name, or else its id."""
    known = node["properties"]
    return str(known.get("name") or known.get("id") or ":".join(node["labels"]))


def _key(node: Thing) -> str:
    known = node["properties"]
    return str(known.get("id") or known.get("name") or "")


def _node(node: Thing) -> Thing:
    known = node["properties"]
    kept = {key: known[key] for key in ("id", "name", "service", "request") if key in known}
    return {"label": ":".join(node["labels"]), **kept}


def _edge_name(edge: Thing) -> str:
    """The fields that an edge carries, or its type."""
    fields = edge["properties"].get("fields")
    return ", ".join(fields) if fields else str(edge["type"])
