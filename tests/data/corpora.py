"""Small corpora made by hand, and constructors that count what they are asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from spm.evaluation.constructors import Known
from spm.evaluation.corpus import Corpus, Task
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.arrays.library import Counts, Feeders, Library, Rows, orders, transitions
from spm.gnn.training.examples import Row
from spm.registry.errors import InputError
from spm.registry.search.bm25 import Index, request_gains, terms, tool_gains, tool_grams
from tests.data.frontiers import Worded

ENCODER = Worded()
Contract = tuple[Sequence[str], Sequence[str]]

# Who takes what and gives what. No tool makes order_number, city or subject.
SHOP: dict[str, Contract] = {
    "shop/find_order": (["order_number"], ["order", "customer"]),
    "shop/find_mail": (["customer"], ["mail"]),
    "shop/make_receipt": (["order"], ["receipt"]),
    "shop/send": (["mail", "receipt"], ["message"]),
    "shop/weather": (["city"], ["forecast"]),
    "shop/wait": ([], []),
    "shop/echo": (["subject"], ["subject"]),
    "shop/refund": (["order", "customer"], ["refund"]),
}
RECEIPT = ["shop/find_order", "shop/find_mail", "shop/make_receipt", "shop/send"]
TRACES = [
    ("mail the receipt of the order", RECEIPT),
    ("refund an order", ["shop/find_order", "shop/refund"]),
    ("is it raining in the city", ["shop/weather"]),
    ("refund the customer twice", ["shop/find_order", "shop/refund", "shop/refund"]),
]
FLOW = (
    ("shop/find_order", "shop/find_mail"),
    ("shop/find_order", "shop/make_receipt"),
    ("shop/find_mail", "shop/send"),
    ("shop/make_receipt", "shop/send"),
)


def library(
    tools: Mapping[str, Contract] = SHOP, traces: Sequence[tuple[str, list[str]]] = TRACES
) -> Library:
    """A library with these contracts and trajectories."""
    ids = sorted(tools)
    number = {tool: at for at, tool in enumerate(ids)}
    fields = sorted({name for sides in tools.values() for side in sides for name in side})
    code = {name: at for at, name in enumerate(fields)}
    paths = [[number[tool] for tool in path] for _, path in traces]
    distinct = [list(dict.fromkeys(path)) for path in paths]
    requests = [request for request, _ in traces]
    used = Counter(tool for way in distinct for tool in way)
    begun = Counter(path[0] for path in paths)
    return Library(
        tools=ids,
        family=np.zeros(len(ids), dtype=np.int64),
        service=np.zeros(len(ids), dtype=np.int64),
        words=[frozenset(terms(tool)) for tool in ids],
        fields=fields,
        takes=Rows.of([sorted(code[name] for name in tools[tool][0]) for tool in ids]),
        gives=Rows.of([sorted(code[name] for name in tools[tool][1]) for tool in ids]),
        vectors=vectors(ids),
        texts=Index(map(tool_gains, ids)),
        grams=Rows.of(map(tool_grams, ids)),
        trajectories=[f"t{at}" for at in range(len(traces))],
        requests=requests,
        request_vectors=vectors(requests),
        request_texts=Index(map(request_gains, requests)),
        paths=Rows.of(paths),
        groups=np.arange(len(traces), dtype=np.int64),
        frequency=np.array([used[at] for at in range(len(ids))], dtype=np.float32),
        entries=np.array([begun[at] for at in range(len(ids))], dtype=np.float32),
        followers=Counts.of(Counter(p for path in paths for p in transitions(path)), len(ids)),
        later=Counts.of(Counter(p for way in distinct for p in orders(way)), len(ids)),
        feeders=fed_by_name(tools, number),
        same={"Order": "order"},
    )


def fed_by_name(tools: Mapping[str, Contract], number: Mapping[str, int]) -> Feeders:
    """Who makes a field that another takes feeds it, unless it only echoes it."""
    carried = {
        (maker, taker): sorted(({*tools[maker][1]} - {*tools[maker][0]}) & {*tools[taker][0]})
        for maker in tools
        for taker in tools
        if maker != taker
    }
    return Feeders.of(
        [
            {"producer": maker, "consumer": taker, "fields": names, "weight": 0.8}
            for (maker, taker), names in carried.items()
            if names
        ],
        number,
    )


def vectors(texts: Sequence[str]) -> np.ndarray:
    """A vector for each text."""
    found = [ENCODER.vector(text) for text in texts]
    return np.array(found, dtype=np.float32).reshape(-1, ENCODER.dimensions)


def question(text: str, *given: str) -> Question:
    """A request that shows some fields."""
    return Question(text, ENCODER.vector(text), frozenset(given))


def task(
    path: Sequence[str], *given: str, edges: Sequence[tuple[str, str]] = (), name: str = "t/1"
) -> Task:
    """A task with this path."""
    return Task(name, question(f"please {name}", *given), list(path), tuple(edges))


TASKS = (
    task(RECEIPT, "order_number", edges=FLOW, name="mail/1"),
    task([RECEIPT[0], RECEIPT[2]], "order", name="mail/2"),
    task(["shop/refund", "shop/find_order"], name="refund/1"),
    task(["shop/weather"], name="rain/1"),
    task(["shop/weather"], name="rain/2"),
)


def corpus(
    known: Library | None = None,
    tasks: Sequence[Task] = TASKS,
    documents: Sequence[str] | None = None,
) -> Corpus:
    """A corpus on the shop; every trajectory teaches, the first judges too."""
    shelf = known or library()
    rows = [
        Row(
            shelf,
            Question(shelf.requests[at], shelf.request_vectors[at], frozenset(), at),
            [shelf.tools[tool] for tool in shelf.path(at)],
        )
        for at in range(len(shelf.trajectories))
    ]
    return Corpus(
        name="shop",
        library=shelf,
        documents=list(documents or shelf.tools),
        teach=rows,
        judge=rows[:1],
        tasks=list(tasks),
        encoder="worded",
        about=("by hand",),
    )


# -- constructors ------------------------------------------------------------------------------


class Straight:
    """The library's tools in their order; remembers what it was asked and shown."""

    fitted: list[Corpus] = []  # noqa: RUF012
    asked: list[str] = []  # noqa: RUF012

    def __init__(self, corpus: Corpus) -> None:
        self.fitted.append(corpus)
        self._tools = corpus.library.tools

    def menu(self, question: Question) -> list[str]:
        self.asked.append(question.text)
        return list(self._tools)

    @classmethod
    def forget(cls) -> None:
        cls.fitted.clear()
        cls.asked.clear()


class Turned(Straight):
    """The other way round, chosen from all but the last tool."""

    def menu(self, question: Question) -> list[str]:
        return super().menu(question)[::-1]

    def frontier(self, question: Question) -> list[str]:
        del question
        return list(self._tools[:-1])


class Needy(Straight):
    """Cannot do without trajectories."""

    def __init__(self, corpus: Corpus) -> None:
        if not corpus.library.trajectories:
            raise InputError("No trajectory to learn from.")
        super().__init__(corpus)


class Stops(Straight):
    """Is killed at the third question."""

    def menu(self, question: Question) -> list[str]:
        if len(self.asked) == 2:
            raise KeyboardInterrupt
        return super().menu(question)


class Invents(Straight):
    """Shows a tool that nobody has."""

    def menu(self, question: Question) -> list[str]:
        return ["shop/nothing"]


class Repeats(Straight):
    """Shows a tool twice."""

    def menu(self, question: Question) -> list[str]:
        return ["shop/send", "shop/send"]


def by_hand(name: str, version: int = 1) -> Known:
    """One of these constructors, as it is asked for by name."""
    return Known(name.lower(), f"Made by hand: {name}.", f"{__name__}:{name}", version)
