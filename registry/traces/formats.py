"""The formats of trace files. The command line and HTTP take them from here."""

from typing import Literal, get_args

# Files of spans and transcripts; `trace_documents` recognises and reads them.
DocumentFormat = Literal["otlp", "openinference", "openai", "anthropic"]
# Besides: the project's own lines, and declared workflows.
TraceFormat = Literal["spm", DocumentFormat, "arazzo"]

DOCUMENT_FORMATS: tuple[str, ...] = get_args(DocumentFormat)
TRACE_FORMATS: tuple[str, ...] = get_args(TraceFormat)
