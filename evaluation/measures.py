"""The measures of one menu for one task, each from its definition.

A measure that a task does not define (edge accuracy where no data flow is known) is None and left
out of means. A required field counts as known when the request shows it, when a tool that was
called gives it, or when no tool of the library makes it: then nobody but the user can, and a menu
cannot be blamed. How many fields that concerns is reported beside the measures
(`Contracts.sources`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from spm.evaluation.corpus import Task
from spm.gnn.arrays.library import Library
from spm.gnn.training.measures import measure
from spm.registry.frontier.frontier import SIZE as FRONTIER
from spm.registry.menus.menu import PREFIX, SIZE

KS = (5, 8, 10, 16, 32)
CALLS = 8  # what an agent may call in a replay

Scores = dict[str, float | None]


@dataclass(frozen=True)
class Measure:
    """A measure as people read it."""

    title: str
    about: str


_AT = {
    "chain": ("Chain@", "All tools of the path are among the first {k}. Others call it "
              "All-required@{k} or COMP@{k}."),
    "recall": ("Recall@", "The share of the path's tools among the first {k}."),
    "target": ("Target hit@", "The path's last tool is among the first {k}."),
    "ndcg": ("nDCG@", "Ranks of the path's tools among the first {k}, discounted by their "
             "logarithm, as a share of the best possible."),
    "map": ("mAP@", "Mean precision at the ranks of the path's tools among the first {k}."),
}  # fmt: skip
_ONCE = {
    "chain@128": ("Chain@128", "All tools of the path are among the first 128: what four times as "
                  "many tools would cover."),
    "first@1": ("First@1", "The path's first tool stands first."),
    "first@5": ("First@5", "The path's first tool is among the first five."),
    "prefix": ("Ordered prefix", "How much of the path's beginning stands in order among the "
               "first eight, as a share of the path."),
    "executable_prefix": ("Executable prefix", "The same, as long as each of these tools could "
                          "run when it came."),
    "executable": ("Executable share", "The share of the leading eight tools whose required "
                   "inputs exist when they come; only tools that could run add their outputs."),
    "edges": ("Edge accuracy", "The share of known producer→consumer pairs that stand in this "
              "order among the first 32; absent tools count as wrong."),
    "replay": ("Replay success", "An agent with eight calls, which each time calls the first tool "
               "not called yet that can run, called every tool of the path, producers before "
               "consumers."),
    "mrr": ("MRR", "One over the rank of the first tool of the path among the first 32."),
    "ceiling": ("Frontier ceiling", "All tools of the path are among the candidates that the "
                "constructor chose from."),
}  # fmt: skip

MEASURES: dict[str, Measure] = {
    **{
        f"{name}@{k}": Measure(f"{title}{k}", about.format(k=k))
        for name, (title, about) in _AT.items()
        for k in KS
    },
    **{name: Measure(*said) for name, said in _ONCE.items()},
}


@dataclass(frozen=True)
class Contracts:
    """What each tool needs before it can run, and what it gives, by numbers of fields.

    Attributes:
        needs: required fields that some tool makes.
        gives: outputs.
        orphans: required fields that no tool makes; they count as known.
    """

    needs: Mapping[str, frozenset[int]]
    gives: Mapping[str, frozenset[int]]
    orphans: Mapping[str, frozenset[int]]
    number: Mapping[str, int]
    same: Mapping[str, str]

    @classmethod
    def of(cls, library: Library) -> "Contracts":
        """Read them from a library; a tool that also takes what it gives only echoes it."""
        made = frozenset(at for at in range(len(library.fields)) if len(library.makers[at]))
        takes = [frozenset(library.takes[at].tolist()) for at in range(len(library.tools))]
        return cls(
            needs={tool: takes[at] & made for at, tool in enumerate(library.tools)},
            gives={
                tool: frozenset(library.gives[at].tolist()) for at, tool in enumerate(library.tools)
            },
            orphans={tool: takes[at] - made for at, tool in enumerate(library.tools)},
            number={name: at for at, name in enumerate(library.fields)},
            same=library.same,
        )

    def start(self, given: Iterable[str]) -> frozenset[int]:
        """The known fields before the first call; names that no tool has are none."""
        names = (self.same.get(name, name) for name in given)
        return frozenset(self.number[name] for name in names if name in self.number)

    def sources(self, task: Task) -> Counter[str]:
        """Where the required inputs of a task's path come from: request, tools, nobody, missing.

        `missing` are those that some tool makes, but none that the path calls before.
        """
        found: Counter[str] = Counter()
        given = self.start(task.question.given)
        made: frozenset[int] = frozenset()
        for tool in dict.fromkeys(task.path):
            fields = self.needs[tool] | self.orphans[tool]
            request = fields & given
            tools = (fields & made) - request
            nobody = self.orphans[tool] - request - tools
            found.update(request=len(request), tools=len(tools), nobody=len(nobody))
            found["missing"] += len(fields - request - tools - nobody)
            made |= self.gives[tool]
        return found


def score(
    menu: Sequence[str], task: Task, contracts: Contracts, frontier: Sequence[str] | None = None
) -> Scores:
    """Every measure of one menu against one task, in the order of MEASURES."""
    gold = list(dict.fromkeys(task.path))
    shown = list(menu[:SIZE])
    simple = measure(shown, gold, frontier or ())
    start = contracts.start(task.question.given)
    hits = [tool in gold for tool in shown]
    found: Scores = {}
    for name, of in _RANKED.items():
        found |= {f"{name}@{k}": of(shown, gold, hits, k) for k in KS}
    lead = shown[:PREFIX]
    wide = set(menu[:FRONTIER])
    ran = runs(lead, contracts, start)
    found |= {
        "chain@128": float(wide.issuperset(gold)),
        "first@1": simple.first1,
        "first@5": simple.first5,
        "prefix": simple.prefix,
        "executable_prefix": _executable(lead, ran, gold) / len(gold),
        "executable": sum(ran) / len(lead) if lead else 0.0,
        "edges": _edges(shown, task.edges),
        "replay": float(_valid(replay(shown, contracts, start), gold, task.edges)),
        "mrr": 1 / (hits.index(True) + 1) if True in hits else 0.0,
        "ceiling": None if frontier is None else simple.ceiling,
    }
    return found


def runs(lead: Sequence[str], contracts: Contracts, start: frozenset[int]) -> list[bool]:
    """Whether each tool can run when it comes; only those that can add what they give."""
    known, found = start, []
    for tool in lead:
        found.append(contracts.needs[tool] <= known)
        if found[-1]:
            known |= contracts.gives[tool]
    return found


def replay(
    menu: Sequence[str], contracts: Contracts, start: frozenset[int], calls: int = CALLS
) -> list[str]:
    """The calls of an agent that always takes the first tool not called yet that can run."""
    known, left, called = start, list(menu), list[str]()
    while len(called) < calls:
        tool = next((one for one in left if contracts.needs[one] <= known), None)
        if tool is None:
            break
        left.remove(tool)
        called.append(tool)
        known |= contracts.gives[tool]
    return called


def _valid(called: list[str], gold: list[str], edges: Iterable[tuple[str, str]]) -> bool:
    """Every tool of the path was called, known producers before their consumers."""
    at = {tool: place for place, tool in enumerate(called)}
    if not set(gold) <= at.keys():
        return False
    pairs = ((a, b) for a, b in edges if a != b and a in at and b in at)
    return all(at[a] < at[b] for a, b in pairs)


def _edges(shown: list[str], edges: Iterable[tuple[str, str]]) -> float | None:
    """The share of pairs in order; a tool that feeds itself says nothing about order."""
    pairs = {(a, b) for a, b in edges if a != b}
    if not pairs:
        return None
    at = {tool: place for place, tool in enumerate(shown)}
    return sum(a in at and b in at and at[a] < at[b] for a, b in pairs) / len(pairs)


def _executable(lead: Sequence[str], ran: Sequence[bool], gold: Sequence[str]) -> int:
    at = 0
    for tool, could in zip(lead, ran, strict=True):
        if at < len(gold) and tool == gold[at]:
            if not could:
                break
            at += 1
    return at


def _chain(shown: list[str], gold: list[str], hits: list[bool], k: int) -> float:
    del shown
    return float(sum(hits[:k]) == len(gold))


def _recall(shown: list[str], gold: list[str], hits: list[bool], k: int) -> float:
    del shown
    return sum(hits[:k]) / len(gold)


def _target(shown: list[str], gold: list[str], hits: list[bool], k: int) -> float:
    del hits
    return float(gold[-1] in shown[:k])


def _ndcg(shown: list[str], gold: list[str], hits: list[bool], k: int) -> float:
    del shown
    ideal = sum(1 / log2(rank + 2) for rank in range(min(k, len(gold))))
    return sum(1 / log2(rank + 2) for rank, hit in enumerate(hits[:k]) if hit) / ideal


def _map(shown: list[str], gold: list[str], hits: list[bool], k: int) -> float:
    del shown
    ranks = [rank for rank, hit in enumerate(hits[:k], 1) if hit]
    return sum(at / rank for at, rank in enumerate(ranks, 1)) / min(k, len(gold))


_RANKED = {"chain": _chain, "recall": _recall, "target": _target, "ndcg": _ndcg, "map": _map}
