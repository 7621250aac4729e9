"""Computes the request fields and the vectors of many requests."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from spm.registry.encoding import ClauseEncoder
from spm.registry.frontier.frontier import Floats
from spm.registry.request.fields import fields_in
from spm.registry.request.vocabulary import Vocabulary

Tell = Callable[[int], None]
Clauses = Callable[[Sequence[str], Tell | None], list[Floats]]  # `Encoder.encode_clauses`


@dataclass(frozen=True)
class Seen:
    """The fields that a request gives, and its vectors: of the whole and of its clauses."""

    given: frozenset[str]
    vector: Floats
    clauses: Floats


class RequestRows:
    """The vectors of requests, made when they are asked for, or before for many at once."""

    def __init__(self) -> None:
        self._ahead: dict[str, Floats] = {}
        self._encoder = ""

    @contextmanager
    def ahead(self, encoder: ClauseEncoder, texts: Sequence[str]) -> Iterator[None]:
        """Encode these together; whoever asks inside for one of them need not encode it."""
        distinct = list(dict.fromkeys(texts))
        self._encoder = encoder.name
        self._ahead = dict(zip(distinct, encoder.encode_clauses(distinct), strict=True))
        try:
            yield
        finally:
            self._ahead = {}

    def of(self, encoder: ClauseEncoder, text: str) -> Floats:
        """A row for the whole request and one for each of its clauses."""
        if encoder.name == self._encoder and text in self._ahead:
            return self._ahead[text]
        return encoder.encode_clauses([text])[0]


NOT_AHEAD = RequestRows()


def read(
    texts: Iterable[str], words: Vocabulary, encode: Clauses, progress: Tell | None = None
) -> dict[str, Seen]:
    """Read many requests, equal ones once; `progress` hears how many are done."""
    distinct = list(dict.fromkeys(texts))
    rows = encode(distinct, progress)
    return {
        text: Seen(frozenset(fields_in(text, words)), found[0], found[1:])
        for text, found in zip(distinct, rows, strict=True)
    }
