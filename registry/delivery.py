"""Who delivered a trajectory: kept where it does not say itself where it is from, but no content.

The same trace that comes with another token is the same trace: its id and what it is compared by
must not tell who sent it.
"""

from collections.abc import Iterable
from functools import cached_property

from spm.registry.models import MADE, Trace
from spm.registry.store import Store

_TOKEN = "token "


def signed(trace: Trace, token: str) -> Trace:
    """A trace with who delivered it, unless it says where it is from."""
    if trace.source:
        return trace
    # Its id is made before: one that is made of the content holds the source.
    return trace.model_copy(update={"source": f"{_TOKEN}{token}", "trace_id": trace.identity()})


def said(source: str | None) -> str:
    """Where a trace itself says it is from; empty when only its delivery is known."""
    return "" if source is None or source.startswith(_TOKEN) else source


class Earlier:
    """Ids under which earlier versions kept traces without one: they held the token's name."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def _sources(self) -> list[str]:
        found = [row["source"] or "" for row in self._store.read("traces/sources")]
        return [source for source in found if source.startswith(_TOKEN)]

    def ids(self, traces: Iterable[Trace]) -> dict[str, str]:
        """The id that each of these traces has now, by those that it may have had."""
        found: dict[str, str] = {}
        for trace in traces:
            # What names itself, or its source, was never known by a token.
            named = trace.trace_id and not trace.trace_id.startswith(MADE)
            if not named and not said(trace.source):
                found |= dict.fromkeys(self._of(trace), trace.identity())
        return found

    def _of(self, trace: Trace) -> list[str]:
        bare = trace.model_copy(update={"trace_id": None, "source": ""})
        if not self._sources or bare.identity() != trace.identity():
            return []
        return [bare.model_copy(update={"source": name}).identity() for name in self._sources]
