"""Inference: what is asked of the two networks, who answers, and building many menus at once.

Whoever builds a menu asks by yielding a `Candidates` or a `Leading` and gets the answer back, so
that what many menus ask at the same time is answered in one pass (see `answered`).
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from spm.gnn.networks import runtime
from spm.registry.frontier.frontier import Floats

T = TypeVar("T")


@dataclass(frozen=True)
class Candidates:
    """A question to the first network: who of these belongs to the answer?

    Attributes:
        rows: (n, features) the input row of each candidate.
        relations: (n, n) the type of each ordered pair.
    """

    rows: Floats
    relations: NDArray[np.int64]


@dataclass(frozen=True)
class Leading:
    """A question to the second network: in which order can these run?

    Attributes:
        rows: (k, features) the input row of each chosen tool.
        pairs: (k, k, features) what is known of each ordered pair.
    """

    rows: Floats
    pairs: Floats


class Belief(NamedTuple):
    """What the first network says, as probabilities."""

    member: Floats  # (n,) of belonging
    slot: Floats  # (n, 8) of standing at each place, over the candidates


class Order(NamedTuple):
    """What the second network says of each chosen tool, as logits; see `reranker.Order`."""

    entry: Floats  # (k,)
    member: Floats  # (k,)
    slot: Floats  # (k, 8)
    precedence: Floats  # (k, k)


class Inference(Protocol):
    """Both networks of one model, for many requests at once."""

    def retrieve(self, asked: Sequence[Candidates]) -> list[Belief]:
        """Ask the first network, of each request alone."""
        ...

    def order(self, asked: Sequence[Leading]) -> list[Order]:
        """Ask the second network, of each request alone."""
        ...


Question = Candidates | Leading
Steps = Generator[Question, Any, T]  # yields questions, is sent their answers, returns a T


def answered(networks: Inference, many: Sequence[Steps[T]]) -> list[T]:
    """Run computations side by side; what they ask at the same time is answered in one pass.

    Args:
        networks: answer.
        many: each goes on until its next question while the others wait.
    """
    results: dict[int, T] = {}
    waiting: dict[int, Question] = {}

    def go_on(number: int, answer: Any) -> None:
        try:
            waiting[number] = many[number].send(answer)
        except StopIteration as end:
            results[number] = end.value

    try:
        for number in range(len(many)):
            go_on(number, None)
        while waiting:
            asked, waiting = waiting, {}
            for number, answer in _answers(networks, asked).items():
                go_on(number, answer)
    finally:
        for one in many:  # after an error too: they may hold `runtime.turn`
            one.close()
    return [results[number] for number in range(len(many))]


def _answers(networks: Inference, asked: dict[int, Question]) -> dict[int, Any]:
    """The answers of all, in the order in which they were asked."""
    first = {number: one for number, one in asked.items() if isinstance(one, Candidates)}
    second = {number: one for number, one in asked.items() if isinstance(one, Leading)}
    found: dict[int, Any] = {}
    with runtime.turn:
        if first:
            found |= zip(first, networks.retrieve([*first.values()]), strict=True)
        if second:
            found |= zip(second, networks.order([*second.values()]), strict=True)
    return {number: found[number] for number in asked}
