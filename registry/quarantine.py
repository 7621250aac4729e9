"""Which tools wait for a person: what people decided stands until people change it."""

from collections.abc import Iterable

from spm.registry.models import ToolSpec
from spm.registry.store import Row


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


def drifted(states: Iterable[Row]) -> list[str]:
    """Active tools that are no longer what a person approved: they changed without a pin."""
    return [
        row["id"]
        for row in states
        if row["status"] == "active"
        and row["approved_hash"]
        and row["approved_hash"] != row["content_hash"]
    ]
