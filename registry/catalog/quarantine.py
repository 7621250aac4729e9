"""Decides which new and changed tools are quarantined until a person approves them."""

from collections.abc import Iterable

from spm.registry.models import Manifest, ToolSpec, tool_id
from spm.registry.store.interface import Row


def status(tool: ToolSpec, content: str, old: Row | None, *, baseline: bool, pin: bool) -> str:
    """The status of a tool that is registered with a new content.

    Args:
        tool: as its source describes it.
        content: its new content hash.
        old: its state so far; None for a new tool.
        baseline: whether anybody approved a tool of its service.
        pin: whether what nobody approved must wait.
    """
    said = tool.status
    if "status" not in tool.model_fields_set and old and old["status"] != "quarantined":
        said = old["status"]
    approved = old["approved_hash"] if old else None
    if old and old["status"] == "quarantined":
        # Out of quarantine only by a person, or by going back to what a person approved.
        return said if approved == content else "quarantined"
    strange = approved != content if approved else baseline and old is None
    # What is deprecated is out of menus and stays so.
    return "quarantined" if pin and said == "active" and strange else said


def statuses(
    manifest: Manifest, chosen: set[str], there: dict[str, Row], *, pin: bool
) -> dict[str, str]:
    """The status that each of the chosen tools gets: those that are new or changed."""
    baseline = any(row["approved_hash"] for row in there.values())
    found = {}
    for tool in manifest.tools:
        identity = tool_id(manifest.service.name, tool.name)
        if identity in chosen:
            old = there.get(identity)
            # Only an approval is compared with the content, and hashing a library takes seconds.
            approved = old is not None and old["approved_hash"]
            content = tool.content_hash(manifest.service.name) if approved else ""
            found[identity] = status(tool, content, old, baseline=baseline, pin=pin)
    return found


def drifted(states: Iterable[Row]) -> list[str]:
    """Active tools that are no longer what a person approved: they changed without a pin."""
    return [
        row["id"]
        for row in states
        if row["status"] == "active"
        and row["approved_hash"]
        and row["approved_hash"] != row["content_hash"]
    ]
