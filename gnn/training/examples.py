"""Training examples: each trajectory as a request that must not see its own answer."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from spm.gnn.arrays.array_expansion import Question, expand
from spm.gnn.arrays.library import Library
from spm.gnn.request_vectors import Seen
from spm.registry.frontier.frontier import Frontier, Rule

Change = Callable[[Frontier], Frontier]


@dataclass(frozen=True)
class Row:
    """One trajectory: the question it answered, the path that did, and what was known then."""

    library: Library
    question: Question
    path: list[str]
    change: Change | None = None  # what is taken from every frontier, for ablations

    def example(self, rule: Rule | None = None) -> "Example":
        """The row with its frontier; made anew each time, because thousands do not fit at once."""
        frontier = expand(self.library, self.question, sizes=rule)
        return Example(self.change(frontier) if self.change else frontier, self.path)


@dataclass(frozen=True)
class Example:
    """A frontier and the path that it should lead to."""

    frontier: Frontier
    path: list[str]


def rows_of(
    library: Library,
    seen: Mapping[str, Seen],
    known: Library,
    members: Sequence[int],
    *,
    teach: bool,
) -> list[Row]:
    """Some trajectories of a library as questions to `known`; `seen` is what their requests show.

    Those that teach are asked without their own group: what it knows would give the answer away.
    """
    return [
        Row(
            known,
            Question.of(
                library.requests[at],
                seen[library.requests[at]],
                int(library.groups[at]) if teach else None,
            ),
            [library.tools[tool] for tool in library.path(at)],
        )
        for at in members
    ]


def divide(library: Library, seen: Mapping[str, Seen], share: float) -> tuple[list[Row], list[Row]]:
    """The rows that teach, and a share of them that judges instead.

    What judges teaches nothing: not the networks, and not the memory that they look at.
    """
    teach, judge = split(library, share)
    known = library.without(judge)
    return (
        rows_of(library, seen, known, teach, teach=True),
        rows_of(library, seen, known, judge, teach=False),
    )


def split(library: Library, share: float) -> tuple[list[int], list[int]]:
    """Which trajectories teach and which judge; whole groups, by a hash of their ids."""
    teach: list[int] = []
    judge: list[int] = []
    for members in library.members.values():
        key = hashlib.sha256("\n".join(library.trajectories[m] for m in members).encode())
        drawn = int.from_bytes(key.digest()[:4], "big") / 2**32
        (judge if drawn < share else teach).extend(members)
    return sorted(teach), sorted(judge)
