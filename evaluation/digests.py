"""Digests of everything that decides a menu."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel

from spm.evaluation.corpus import Corpus
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.training.examples import Row
from spm.registry.search.bm25 import Index


class Digest:
    """A hash over values of different kinds, each with its kind and size."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, value: Any) -> None:
        """Take in a value with all that it holds.

        Raises:
            TypeError: nobody said how such a value is taken in.
        """
        match value:
            case None | bool() | int() | float() | str():
                text = json.dumps(value).encode()
                self._hash.update(f"{len(text)} ".encode() + text)
            case np.ndarray():
                whole = np.ascontiguousarray(value)
                self._mark("array", whole.dtype, *whole.shape)
                self._hash.update(whole.tobytes())
            case list() | tuple():
                self._mark("list", len(value))
                self._each(value)
            case set() | frozenset():
                self.add(sorted(value))
            case Mapping():
                self._mark("map", len(value))
                self._each(part for key in sorted(value) for part in (key, value[key]))
            case BaseModel():
                self.add(value.model_dump_json())
            case Index():
                pass  # made of texts that are taken in themselves
            case _ if is_dataclass(value):
                self._mark(type(value).__name__)
                for field in fields(value):
                    if field.compare:
                        self._mark(field.name)
                        self.add(getattr(value, field.name))
            case _:
                raise TypeError(f"expected a value of known kind (got {type(value).__name__})")

    def hexdigest(self) -> str:
        """What was taken in, as 64 letters."""
        return self._hash.hexdigest()

    def _mark(self, *words: object) -> None:
        self._hash.update(f"<{' '.join(map(str, words))}>".encode())

    def _each(self, values: Iterable[Any]) -> None:
        for value in values:
            self.add(value)


def content(corpus: Corpus) -> str:
    """A digest of all that a constructor may look at; what it is measured by is left out."""
    found = Digest()
    for field in fields(corpus):
        if field.name in ("teach", "judge"):
            found.add([_said(row) for row in getattr(corpus, field.name)])
        elif field.name not in ("name", "about", "tasks", "documented"):
            found.add(getattr(corpus, field.name))
    return found.hexdigest()


def _said(row: Row) -> tuple[str, list[str]]:
    return key(row.question), row.path  # its library is the corpus'


def key(question: Question) -> str:
    """A digest of everything that a question says."""
    found = Digest()
    found.add(question)
    return found.hexdigest()[:32]
