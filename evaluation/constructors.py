"""Whoever builds menus in an evaluation, behind one interface, by name.

A constructor is made for a corpus: it may learn from the library's trajectories and `teach`, and
choose by `judge`. Then it answers questions. Baselines, the learned constructor and peers are all
the same to whoever measures them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from spm.evaluation.corpus import Corpus
from spm.gnn.expansion import Question
from spm.registry.errors import InputError
from spm.registry.naming import nearest


class Constructor(Protocol):
    """Builds menus for the questions of one corpus."""

    def menu(self, question: Question) -> list[str]:
        """Ids of tools, the best or first to run in front; 128 where it can rank so many."""
        ...


@dataclass(frozen=True)
class Known:
    """A constructor that can be asked for by name.

    Attributes:
        title: for tables.
        about: one sentence: whose idea, and what was left out of it.
        place: `module:class`, imported when it is needed.
        version: raised when its menus change, so that cached ones are not taken for new.
    """

    title: str
    about: str
    place: str
    version: int = 1

    def make(self, corpus: Corpus) -> Constructor:
        """Fit it to a corpus."""
        module, _, name = self.place.partition(":")
        maker: Callable[[Corpus], Constructor] = getattr(import_module(module), name)
        return maker(corpus)


_BASE = "spm.evaluation.baselines"
KNOWN = {
    "dense": Known("dense", "Cosine of request and document.", f"{_BASE}.text:Dense"),
}


def known(name: str) -> Known:
    """A constructor by name.

    Raises:
        InputError: there is none; names the nearest.
    """
    if name not in KNOWN:
        close = " or ".join(nearest(name, sorted(KNOWN))) or ", ".join(sorted(KNOWN))
        raise InputError(f"No constructor is called {name!r}. Did you mean {close}?")
    return KNOWN[name]
