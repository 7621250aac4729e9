"""Computes the request fields and the vectors of many requests."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

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
