"""The fields of one registry: the names in which tools meet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from spm.registry.access.caller import EVERYTHING, Caller

if TYPE_CHECKING:
    from spm.registry.catalog.field_suggestions import Suggestion
    from spm.registry.registry import Registry as Core
    from spm.registry.store.interface import Row


class Fields:
    """The fields of a registry; `registry.fields` is one."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def names(self) -> list[str]:
        """The names of all fields.

        >>> "order_id" in registry.fields.names()
        True
        """
        return [row["field"] for row in self._core.store.read("fields/vocabulary")]

    def unknown(self, names: Iterable[str], caller: Caller = EVERYTHING) -> dict[str, list[str]]:
        """Which of these names no tool that the caller sees has, each with the nearest names.

        >>> registry.fields.unknown(["order_id", "order_idd"])
        {'order_idd': ['order_id', 'folder_id', 'order_list']}
        """
        from spm.registry.access.filtered_store import filtered
        from spm.registry.request.fields import named_fields, vocabulary

        return named_fields([*names], vocabulary(filtered(self._core.store, caller))).unknown

    def suggest(self, *, count: int = 20, minimum: float | None = None) -> list[Suggestion]:
        """Which outputs may be inputs of another name, best first, with reasons.

        Args:
            count: at most so many.
            minimum: the least confidence; None stands for the usual one.
        """
        from spm.gnn.encoders.by_name import encoder_of
        from spm.registry.catalog import field_suggestions

        store = self._core.store
        return field_suggestions.suggest(
            store,
            lambda texts: encoder_of(store).encode_documents(texts),
            minimum=field_suggestions.MINIMUM if minimum is None else minimum,
            count=count,
        )

    def merge(self, first: str, second: str, *, by: str) -> Row:
        """Declare two fields to be two spellings of one: what makes either feeds both.

        Args:
            first: a field.
            second: another one.
            by: who reviewed it.
        """
        from spm.registry.catalog.field_decisions import merge

        return merge(self._core.store, first, second, by)

    def split(self, first: str, second: str) -> Row:
        """Take back that two fields are the same."""
        from spm.registry.catalog.field_decisions import split

        return split(self._core.store, first, second)

    def declare(self, field: str, kind: str, *, by: str) -> Row:
        """Say that a field is another: whatever makes a `user_id` feeds an `assignee_id`.

        The other way round nothing changes, and two fields that are one do not feed each other.

        Args:
            field: a field that tools take.
            kind: the field that it is.
            by: who reviewed it.
        """
        from spm.registry.catalog.field_decisions import declare

        return declare(self._core.store, field, kind, by)

    def retract(self, field: str, kind: str) -> Row:
        """Take back that a field is another."""
        from spm.registry.catalog.field_decisions import retract

        return retract(self._core.store, field, kind)

    # The last method: below it, `list` would no longer be the type.
    def list(self, *, unproduced: bool = False) -> list[Row]:
        """Fields with the number of tools that make and take them, and their other names.

        Args:
            unproduced: only required fields that no tool makes.
        """
        from spm.registry.catalog.field_suggestions import overview

        return overview(self._core.store, unproduced=unproduced)
