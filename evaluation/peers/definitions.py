"""The input of a peer: tools under names of their own, and our encoder."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spm.evaluation.corpus import Corpus
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.encoders.by_name import load_encoder
from spm.registry.errors import InputError
from spm.registry.models import InputSpec, OutputSpec, ToolSpec
from spm.registry.store.interface import Vector

Json = dict[str, Any]


def named(corpus: Corpus) -> dict[str, tuple[str, ToolSpec]]:
    """Tools by the name a peer knows them by: their own, or their id where several share it.

    Raises:
        InputError: the corpus does not have the tools' definitions.
    """
    if len(corpus.specs) != len(corpus.library.tools):
        raise InputError(
            f"The corpus {corpus.name!r} has no definitions of its tools, which peers need. "
            "Make it from data sets or from a registry."
        )
    times = Counter(spec.name for spec in corpus.specs)
    return {
        spec.name if times[spec.name] == 1 else tool: (tool, spec)
        for tool, spec in zip(corpus.library.tools, corpus.specs, strict=True)
    }


def mcp(name: str, spec: ToolSpec) -> Json:
    """A tool as a server's list has it, with its outputs where they are documented."""
    found: Json = {
        "name": name,
        "description": spec.description or spec.title,
        "inputSchema": spec.input_schema or _schema(spec.inputs),
    }
    if spec.output_schema or spec.outputs:
        found["outputSchema"] = spec.output_schema or _schema(spec.outputs)
    return found


def _schema(fields: Iterable[OutputSpec]) -> Json:
    fields = list(fields)
    return {
        "type": "object",
        "properties": {
            field.name: {"type": field.type, "description": field.description} for field in fields
        },
        "required": [f.name for f in fields if isinstance(f, InputSpec) and f.required],
    }


class Vectors:
    """The corpus's encoder as a function of texts, each encoded once.

    Args:
        corpus: whose encoder.
        documents: makes vectors in its place, where only the time of answers matters.
    """

    def __init__(
        self, corpus: Corpus, documents: Callable[[Sequence[str]], Vector] | None = None
    ) -> None:
        self._encoder = load_encoder(corpus.encoder)
        self._documents = documents or self._encoder.encode_documents
        self._known: dict[str, list[float]] = {}
        self._asked: dict[str, list[float]] = {}
        self.dimensions: int = self._encoder.dimensions

    def expect(self, question: Question) -> None:
        """A question is asked next, whose vector is known already."""
        self._asked = {question.text: question.vector.tolist()}

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text."""
        new = [t for t in dict.fromkeys(texts) if t not in self._asked and t not in self._known]
        if new:
            made = self._documents(new).tolist()
            self._known |= dict(zip(new, made, strict=True))
        return [self._asked.get(text) or self._known[text] for text in texts]
