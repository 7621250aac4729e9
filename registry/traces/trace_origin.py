"""Records which token delivered a trace that names no source of its own.

The same trace that comes with another token is the same trace: its id and what it is compared by
must not tell who sent it.
"""

from spm.registry.models import Trace

_TOKEN = "token "


def with_token(trace: Trace, token: str) -> Trace:
    """A trace with who delivered it, unless it says where it is from."""
    if trace.source:
        return trace
    # Its id is made before: one that is made of the content holds the source.
    return trace.model_copy(update={"source": f"{_TOKEN}{token}", "trace_id": trace.identity()})


def declared_source(source: str | None) -> str:
    """Where a trace itself says it is from; empty when only its delivery is known."""
    return "" if source is None or source.startswith(_TOKEN) else source
