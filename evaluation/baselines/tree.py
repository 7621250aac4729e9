"""Tree search as a menu: ToolTree without a model and without calls.

ToolTree (Yang and others, 2026) is a Monte Carlo tree search over calls: a model judges a tool
before its call (a prior, and a first cut) and after it (the reward, and a second cut). Here text
and observed transitions judge before; after, it counts whether the tool's required inputs were
there, since nothing is called. Its published constants are kept. Nothing is drawn by chance.
"""

import math
from dataclasses import dataclass, field
from itertools import product

from spm.evaluation.baselines.constants import chosen
from spm.evaluation.baselines.ranks import best, joined, named, scaled
from spm.evaluation.baselines.text import Dense
from spm.evaluation.baselines.transitions import Inertia
from spm.evaluation.corpus import Corpus
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.library import Library, Numbers
from spm.registry.menus.menu import PREFIX

ROLLOUTS = 60
EXPLORATION = 1.4
BEFORE, AFTER = 0.3, 0.4  # judged lower, a call is not tried, or not gone on from
# How much the text counts against transitions, how many tools are tried at each node (20 in the
# original), and whether the best branch is the most rewarding one (as there) or the most visited.
CONSTANTS = tuple(product((0.3, 0.1, 0.2), (20, 5), ("value", "visits")))


@dataclass
class Node:
    """A call in the tree; the root is none."""

    tool: int
    prior: float
    depth: int
    children: list["Node"] = field(default_factory=list)
    visits: int = 0
    value: float = 0.0  # the mean reward at it and below
    open: bool = True

    def update(self, reward: float) -> None:
        """One more visit."""
        self.visits += 1
        self.value += (reward - self.value) / self.visits

    def pick(self) -> "Node | None":
        """The child to go on with: a good one, or a promising one that was seldom tried."""
        spread = EXPLORATION * math.sqrt(math.log(max(1, self.visits)))
        able = [child for child in self.children if child.open]
        return max(
            able,
            key=lambda c: (round(c.value + spread * c.prior / (1 + c.visits), 9), -c.tool),
            default=None,
        )


class Tree:
    """The best branch of a tree of possible calls, then what else it tried."""

    def __init__(self, corpus: Corpus) -> None:
        self._library, self._dense = corpus.library, Dense(corpus)
        self._inertia = Inertia(corpus.library)
        self.constants = chosen(corpus, CONSTANTS, self._look, self._order)

    def menu(self, question: Question) -> list[str]:
        """The best branch, other tools by how often they were tried, then text."""
        return named(self._library, self._order(self._look(question), self.constants))

    def _look(self, question: Question) -> "_Seen":
        return _Seen(self._dense.scores(question), given(self._library, question.given))

    def _order(self, seen: "_Seen", constants: tuple[float, int, str]) -> list[int]:
        share, breadth, judged = constants
        if (share, breadth) not in seen.trees:
            fits = share * scaled(seen.text)
            search = Search(self._library, self._inertia, fits, 1 - share, breadth)
            seen.trees[share, breadth] = search.run(seen.state)
        root = seen.trees[share, breadth]
        return joined(branch(root, judged), tried(root), best(seen.text))


@dataclass
class _Seen:
    """What is known for a question, and the trees that were grown for it."""

    text: Numbers
    state: frozenset[int]
    trees: dict[tuple[float, int], Node] = field(default_factory=dict)


class Search:
    """One search; `fits` is what text says of each tool, `weight` what transitions count."""

    def __init__(
        self, library: Library, inertia: Inertia, fits: Numbers, weight: float, breadth: int
    ) -> None:
        self._library, self._inertia = library, inertia
        self._fits, self._weight, self._breadth = fits, weight, breadth

    def run(self, state: frozenset[int]) -> Node:
        """Grow the tree from what the request shows."""
        root = Node(-1, 1.0, 0)
        for _ in range(ROLLOUTS):
            trail = [root]
            while trail[-1].children and (child := trail[-1].pick()) is not None:
                trail.append(child)
            leaf = trail[-1]
            if leaf.visits or leaf is root:
                self._expand(leaf, [node.tool for node in trail[1:]])
                if (child := leaf.pick()) is not None:
                    trail.append(child)
            reward = self._reward(trail[1:], state)
            if reward < AFTER:
                trail[-1].open = False
            for node in trail:
                node.update(reward)
        return root

    def _expand(self, node: Node, plan: list[int]) -> None:
        """Children that the judgement before a call lets through, the best first."""
        if node.depth >= PREFIX or node.children:
            node.open = False
            return
        scores = self._fits.copy()
        if plan:
            others, shares = self._inertia.after(plan[-1])
            scores[others] += self._weight * shares
        else:
            scores += self._weight * self._inertia.entry
        scores[plan] = 0.0
        judged = scaled(scores)
        node.children = [
            Node(tool, float(judged[tool]), node.depth + 1)
            for tool in best(judged, self._breadth)
            if judged[tool] >= BEFORE
        ]

    def _reward(self, trail: list[Node], state: frozenset[int]) -> float:
        """Whether the last tool had its inputs, and how promising it was."""
        if not trail:
            return 0.0
        known = set(state)
        for node in trail[:-1]:
            known.update(self._library.gives[node.tool].tolist())
        needs = self._library.takes[trail[-1].tool].tolist()
        ready = sum(name in known for name in needs) / len(needs) if needs else 1.0
        return (ready + trail[-1].prior) / 2


def given(library: Library, names: frozenset[str]) -> frozenset[int]:
    """The fields of a request by number."""
    shown = {library.same.get(name, name) for name in names}
    return frozenset(at for at, name in enumerate(library.fields) if name in shown)


def branch(root: Node, judged: str) -> list[int]:
    """The tools along the calls with the highest reward (`value`) or the most `visits`."""
    found: list[int] = []
    node = root
    while visited := [child for child in node.children if child.visits]:
        node = max(visited, key=lambda c: (round(getattr(c, judged), 9), c.visits, -c.tool))
        found.append(node.tool)
    return found


def tried(root: Node) -> list[int]:
    """Every tool of the tree: by visits, then by the best judgement before its call."""
    visits: dict[int, int] = {}
    prior: dict[int, float] = {}
    waiting = list(root.children)
    while waiting:
        node = waiting.pop()
        visits[node.tool] = visits.get(node.tool, 0) + node.visits
        prior[node.tool] = max(prior.get(node.tool, 0.0), node.prior)
        waiting.extend(node.children)
    return sorted(visits, key=lambda tool: (-visits[tool], -round(prior[tool], 9), tool))
