"""One door for traces: the project's own lines, spans, transcripts and declared workflows."""

from collections.abc import Callable, Iterator
from pathlib import Path

from spm.registry.errors import ManifestError, TraceError
from spm.registry.importers.detection import read_source
from spm.registry.importers.documents import read_traces
from spm.registry.importers.source import Source
from spm.registry.models import Trace
from spm.registry.traces.data_flow import flows
from spm.registry.traces.formats import TRACE_FORMATS
from spm.registry.traces.redaction import Episode

MAX_STEPS = 1_000  # what a Trace takes; longer ones are loops


class TraceFile:
    """The traces of a file, read anew each time they are asked for: nothing is kept in memory."""

    def __init__(self, path: Path, format: str | None = None) -> None:
        """Find out the format, unless it is given.

        Raises:
            TraceError: the file cannot be read or is of no known format.
        """
        if format not in (None, *TRACE_FORMATS):
            raise TraceError(f"No trace format {format!r}. Known: {', '.join(TRACE_FORMATS)}.")
        if path.exists() and not path.is_file():
            raise TraceError(
                f"{str(path)!r} is no regular file, and traces are read more than once. "
                "Save them to a file first."
            )
        self.path = path
        self.format = format or _detect(path)

    def __iter__(self) -> Iterator[Trace]:
        """Read the traces one by one.

        Raises:
            TraceError: a line or document is not of the format; says where.
        """
        match self.format:
            case "spm":
                yield from read_traces(self.path)
            case "arazzo":
                yield from _workflows(self.path)
            case _:
                from spm.registry.traces.trace_documents import read_trace_file

                for number, episode in enumerate(read_trace_file(self.path, self.format), 1):
                    yield _trace(episode, f"{self.path.stem}-{number}")


def _detect(path: Path) -> str:
    from spm.registry.traces.trace_documents import trace_format

    if path.suffix.lower() in (".yaml", ".yml"):
        return "arazzo"
    found = trace_format(path)
    if found is None and _is_arazzo(path):
        return "arazzo"
    # An empty file has no traces in any format; an unknown one gets the own format's messages.
    return found or "spm"


def _is_arazzo(path: Path) -> bool:
    from spm.registry.importers.references import load_document

    try:
        document = load_document(path, TraceError)
    except TraceError:
        return False
    return isinstance(document, dict) and "arazzo" in document


def _workflows(path: Path) -> Iterator[Trace]:
    from spm.registry.importers.arazzo import read_arazzo
    from spm.registry.importers.references import load_document

    try:
        yield from read_arazzo(load_document(path), str(path), _beside(path)).traces
    except ManifestError as error:
        raise TraceError(str(error)) from error


def _beside(path: Path) -> Callable[[str, str], Source | None]:
    """Answers the OpenAPI documents that a workflow names, when they lie beside it."""

    def read(name: str, url: str) -> Source | None:
        del name
        file = path.parent / url
        inside = file.resolve().is_relative_to(path.parent.resolve())
        return read_source(str(file)) if "://" not in url and inside and file.is_file() else None

    return read


def _trace(episode: Episode, fallback: str) -> Trace:
    calls = episode.calls[:MAX_STEPS]
    return Trace.model_validate(
        {
            "trace_id": episode.trace_id or fallback,
            "request": episode.request,
            "steps": [
                {"tool": call.tool, "ok": call.ok, "takes": call.takes, "gives": call.gives}
                for call in calls
            ],
            "flows": [flow._asdict() for flow in flows(episode.request, calls)],
            "success": episode.success,
            "source": episode.source,
            "time": episode.time,
        }
    )
