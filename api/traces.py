"""The observed trajectories of one registry: what they say, and letting old ones go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm.registry.errors import TraceError
from spm.registry.models import Trace

if TYPE_CHECKING:
    from spm.registry.registry import Registry as Core
    from spm.registry.traces.statistics import Statistics

Importable = str | Path | Iterable[Trace | dict[str, Any]]


class Traces:
    """The trajectories of a registry; `registry.traces` is one."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def statistics(self, *, top: int = 10) -> Statistics:
        """Use and error rates of tools, and the most travelled transitions.

        Args:
            top: rows in each list.

        >>> registry.traces.statistics().trajectories
        495
        """
        from spm.registry.traces.statistics import statistics

        return statistics(self._core.store, top=top)

    def prune(self, before: datetime) -> int:
        """Empty trajectories from before a moment; what they added to counts stays.

        Args:
            before: the moment; without a time zone, UTC.

        Returns:
            How many were pruned.
        """
        from spm.registry.traces.statistics import prune

        return prune(self._core.store, before if before.tzinfo else before.replace(tzinfo=UTC))

    def decay(self, half_life: timedelta) -> int:
        """Let old transitions weigh less: half as much after each half-life. Their counts stay.

        Returns:
            How many transitions were weighed anew.
        """
        from spm.registry.traces.statistics import decay

        return decay(self._core.store, half_life, datetime.now(UTC))


def read(traces: Importable, format: str | None = None) -> Iterable[Trace]:
    """Traces of a file in any known format, or of an iterable; see `Registry.import_traces`.

    Raises:
        TraceError: the file is of no known format, or a trace is not valid.
    """
    if isinstance(traces, str | Path):
        from spm.registry.traces.trace_file import TraceFile

        return TraceFile(Path(traces), format)
    return _validated(traces)


def _validated(traces: Iterable[Trace | dict[str, Any]]) -> Iterator[Trace]:
    from pydantic import ValidationError

    for number, given in enumerate(traces, 1):
        if isinstance(given, Trace):
            yield given
            continue
        try:
            yield Trace.model_validate(given)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise TraceError(f"Trace {number} is not valid: {place}: {first['msg']}.") from error
