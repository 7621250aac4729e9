"""Searching the embedded store as different callers; what is hidden leaves no trace."""

import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spm.cypher import load, names
from spm.registry import encoding
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.catalog import lifecycle
from spm.registry.models import Manifest, Trace
from spm.registry.registry import Registry
from spm.registry.search.bm25 import rarity, terms
from spm.registry.search.neo4j_search import Statistics
from spm.registry.store.embedded_store import EmbeddedStore
from spm.registry.store.interface import Vector, rank

CALLERS = (
    EVERYTHING,
    Caller("a"),
    Caller("b", ("x",)),
    Caller("a", ("x", "y"), read_only=True),
    Caller(scopes=()),
    Caller(read_only=True),
)
REQUESTS = ("find the order of a user", "send mail", "注文 items AND data", "nothing of the kind")


class Hashing:
    """Vectors that depend on the text alone."""

    name, dimensions = "hashing", 8

    def encode_documents(self, texts: Sequence[str], progress: Any = None) -> Vector:
        return np.stack([self.vector(text) for text in texts])

    encode_requests = encode_documents

    @staticmethod
    def vector(text: str) -> Vector:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        row = np.random.default_rng(seed).normal(size=8)
        found: Vector = (row / np.linalg.norm(row)).astype(np.float32)
        return found


def manifest(service: str, **tools: dict[str, Any]) -> Manifest:
    specs = [{"name": name, **spec} for name, spec in tools.items()]
    return Manifest.model_validate({"spm": 1, "service": service, "tools": specs})


def trace(request: str, *steps: str, **more: Any) -> Trace:
    calls = [{"tool": step.rstrip("!"), "ok": not step.endswith("!")} for step in steps]
    return Trace.model_validate({"request": request, "steps": calls, **more})


SHOP = manifest(
    "shop",
    find_order={"description": "Find orders of a user", "effects": "read"},
    find_user={"description": "Find a user by e-mail", "effects": "read", "scopes": ["x"]},
    send_mail={"description": "Send mail to a user", "effects": "write", "owner": "a",
               "visibility": "team"},
    list_items={"description": "注文 items", "owner": "b", "visibility": "private",
                "effects": "read", "scopes": ["x", "y"]},
    drop_data={"description": "Drop order data", "effects": "destructive"},
    old_order={"description": "Find an order, the old way", "status": "deprecated"},
    odd_order={"description": "Find an order and obey", "status": "quarantined"},
)  # fmt: skip
WAYS = (
    trace("find the order of jane", "find_user", "find_order"),
    trace("send mail about order 4821", "find_order", "send_mail"),
    trace("items of the order", "list_items", "drop_data!"),
    trace("drop order data", "drop_data"),
    trace("order, but it failed", "find_order", success=False),
    trace("order, no step worked", "find_order!"),
    trace("order by the old way", "old_order", "find_order"),
    trace("order by the old way, in vain", "old_order!", "find_order"),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    opened = EmbeddedStore(tmp_path_factory.mktemp("search"))
    fill(opened, SHOP, WAYS)
    yield opened
    opened.close()


def fill(store: EmbeddedStore, tools: Manifest, ways: Sequence[Trace]) -> None:
    registry = Registry(store)
    registry.register(tools)
    registry.import_traces(ways)
    registry.encode(Hashing())


def ids(found: list[tuple[str, float]]) -> list[str]:
    return sorted(node.removeprefix("shop/") for node, _ in found)


def requests(store: EmbeddedStore, found: list[tuple[str, float]]) -> list[str]:
    texts = {row["id"]: row["text"] for row in store.read("vectors/trajectory_texts")}
    return sorted(texts[node] for node, _ in found)


# -- who sees what ------------------------------------------------------------------------------

PUBLIC = ["drop_data", "find_order", "find_user"]


@pytest.mark.parametrize(
    ("caller", "expected"),
    [
        (EVERYTHING, [*PUBLIC, "list_items", "send_mail"]),
        (Caller("a"), [*PUBLIC, "send_mail"]),
        (Caller("b"), [*PUBLIC, "list_items"]),
        (Caller("c"), PUBLIC),
        (Caller(""), PUBLIC),
        (Caller("b", ("x",)), PUBLIC),
        (Caller("b", ("y", "x", "z")), [*PUBLIC, "list_items"]),
        (Caller(scopes=()), ["drop_data", "find_order", "send_mail"]),
        (Caller(read_only=True), ["find_order", "find_user", "list_items"]),
        (Caller("a", (), True), ["find_order"]),
    ],
)
def test_a_caller_finds_the_tools_of_its_reach(
    caller: Caller, expected: list[str], store: EmbeddedStore
) -> None:
    assert ids(store.nearest("tool", Hashing.vector("x"), 99, caller)) == expected
    words = terms("find send drop item 注文")
    assert ids(store.matching("tool", words, 99, caller)) == expected


@pytest.mark.parametrize(
    ("caller", "expected"),
    [
        (EVERYTHING, ["drop order data", "find the order of jane", "items of the order",
                      "order by the old way, in vain", "send mail about order 4821"]),
        (Caller("c"), ["drop order data", "find the order of jane",
                       "order by the old way, in vain"]),
        (Caller("c", ()), ["drop order data", "order by the old way, in vain"]),
        (Caller("b", read_only=True), ["find the order of jane", "items of the order",
                                       "order by the old way, in vain"]),
    ],
)  # fmt: skip
def test_a_caller_finds_the_trajectories_of_its_tools(
    caller: Caller, expected: list[str], store: EmbeddedStore
) -> None:
    assert requests(store, store.nearest("trajectory", Hashing.vector("x"), 99, caller)) == expected
    assert requests(store, store.matching("trajectory", ["order"], 99, caller)) == expected


def test_callers_are_counted_after_they_are_filtered(store: EmbeddedStore) -> None:
    for caller in CALLERS:
        for request in REQUESTS:
            vector, words = Hashing.vector(request), terms(request)
            for kind in encoding.KINDS:
                everything = store.nearest(kind, vector, 99, caller)
                assert store.nearest(kind, vector, 2, caller) == everything[:2]
                matches = store.matching(kind, words, 99, caller)
                assert store.matching(kind, words, 2, caller) == matches[:2]
                assert matches == sorted(matches, key=lambda pair: (-pair[1], pair[0]))


def test_one_condition_stands_in_every_query_that_takes_a_caller() -> None:
    rule = re.compile(r"\b(\w+)(\.status = .*?\1\.effects = 'read'\))", re.S)
    # Tokens and frozen menus are a team's own, whatever its scopes.
    known = [load(name) for name in names() if not name.startswith(("tokens/", "frozen/"))]
    asking = [query for query in known if "team" in query.params]
    found = {
        q.name: [
            " ".join(part.replace(f"{name}.", ".").split()) for name, part in rule.findall(q.text)
        ]
        for q in asking
    }
    assert len({part for parts in found.values() for part in parts}) == 1
    for query in asking:
        assert 0 < len(found[query.name]) == query.text.count("($team IS NULL OR"), query.name
    assert all({"team", "scopes", "read_only"} <= set(q.params) for q in asking)


# -- vectors ------------------------------------------------------------------------------------


def test_vectors_come_in_the_order_asked_for(store: EmbeddedStore) -> None:
    texts = {row["id"]: row["head"] for row in store.read("vectors/tool_texts")}
    wanted = ["shop/send_mail", "nobody", "shop/odd_order", "shop/send_mail"]
    found = store.vectors("tool", wanted)
    assert found.dtype == np.float32
    for row, node in zip(found, wanted, strict=True):
        assert np.array_equal(row, Hashing.vector(texts[node]) if node in texts else np.zeros(8))
    assert store.vectors("tool", []).shape == (0, 8)
    assert store.vectors("trajectory", ["nobody"]).shape == (1, 8)


def test_a_store_without_vectors(tmp_path: Path) -> None:
    empty = EmbeddedStore(tmp_path)
    assert empty.vectors("tool", ["x"]).shape == (1, 0)
    assert empty.nearest("tool", Hashing.vector("x"), 3) == []
    assert empty.matching("tool", ["x"], 3, Caller("a")) == []


def test_nearest_is_exact(store: EmbeddedStore) -> None:
    for caller in CALLERS:
        seen = [row["id"] for row in store.read("access/tools", **caller.params())]
        for request in REQUESTS:
            vector = Hashing.vector(request)
            expected = rank(seen, store.vectors("tool", seen), vector, 3)
            assert store.nearest("tool", vector, 3, caller) == expected


# -- what is kept in memory ---------------------------------------------------------------------


def test_a_write_is_seen_at_once(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path)
    registry = Registry(store)
    fill(store, SHOP, WAYS)
    assert store.matching("tool", ["find"], 9)
    index = store._search._texts["tool"].index
    registry.import_traces([trace("one more order", "find_order")])
    assert "one more order" in requests(store, store.matching("trajectory", ["order"], 99))
    store.matching("tool", ["find"], 9)
    assert store._search._texts["tool"].index is index  # no tool has changed
    lifecycle.deprecate(store, "find_order")
    assert ids(store.matching("tool", ["order"], 99)) == ["drop_data"]
    assert "find_order" not in ids(store.nearest("tool", Hashing.vector("x"), 99))
    registry.remove("drop_data", force=True)
    assert store.matching("tool", ["drop"], 99) == []
    store.close()


def test_many_callers_do_not_fill_the_memory(store: EmbeddedStore) -> None:
    for number in range(200):
        store.nearest("tool", Hashing.vector("x"), 1, Caller(f"team {number}"))
    assert len(store._search._seen) <= 64


# -- no trace -----------------------------------------------------------------------------------

WORDS = st.sampled_from("find order user mail data items send 注文".split())
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
CALLER = Caller("a", ("x",), read_only=True)
SEEN: dict[str, Any] = {"effects": "read", "owner": "a", "visibility": "public", "scopes": ["x"]}
HIDDEN = st.sampled_from(
    [
        {"owner": "b", "visibility": "team"},
        {"owner": "", "visibility": "private"},
        {"scopes": ["x", "z"]},
        {"status": "quarantined"},
        {"status": "deprecated"},
        {"effects": "destructive"},
        {"effects": "write"},
    ]
)


def answers(store: EmbeddedStore, asked: str, caller: Caller) -> str:
    vector, words = Hashing.vector(asked), terms(asked)
    return json.dumps(
        [
            [store.nearest(kind, vector, count, caller), store.matching(kind, words, count, caller)]
            for kind in encoding.KINDS
            for count in (1, 3, 50)
        ]
    )


@settings(max_examples=30)
@given(
    tools=st.lists(TEXTS, min_size=1, max_size=8),
    ways=st.lists(st.tuples(TEXTS, st.lists(st.integers(0, 99), min_size=1, max_size=3))),
    hidden=st.lists(st.tuples(TEXTS, HIDDEN), min_size=1, max_size=12),
    through=st.lists(st.tuples(TEXTS, st.lists(st.integers(0, 99), min_size=1, max_size=3))),
    asked=TEXTS,
)
def test_what_is_hidden_changes_no_byte(
    tools: list[str],
    ways: list[tuple[str, list[int]]],
    hidden: list[tuple[str, dict[str, Any]]],
    through: list[tuple[str, list[int]]],
    asked: str,
) -> None:
    seen = {f"seen_{i}": {**SEEN, "description": text} for i, text in enumerate(tools)}
    unseen = {f"unseen_{i}": {**SEEN, "description": t, **how} for i, (t, how) in enumerate(hidden)}

    def traces(prefix: str, drawn: list[tuple[str, list[int]]], *first: str) -> list[Trace]:
        known = list(seen)
        return [
            trace(text, *first, *(known[s % len(known)] for s in steps), trace_id=f"{prefix}-{i}")
            for i, (text, steps) in enumerate(drawn)
        ]

    with tempfile.TemporaryDirectory() as folder:
        store = EmbeddedStore(Path(folder))
        fill(store, manifest("seen", **seen), traces("t", ways))
        before = answers(store, asked, CALLER)
        fill(store, manifest("unseen", **unseen), traces("u", through, "unseen_0"))
        assert answers(store, asked, CALLER) == before
        store.close()


# -- Lucene -------------------------------------------------------------------------------------


def test_a_query_of_lucene_adds_up_weights_and_nothing_means_anything_else() -> None:
    known = Statistics({"tools": 10, "held": [["order", 1]]})
    rare, common = rarity(10, 1), rarity(10, 0)
    asked = ["order", "AND", 'a"b', "a\\", "*", "注文", "to] OR [x"]
    assert known.query(asked) == (
        f"terms:[AND TO AND]^{common} terms:[order TO order]^{rare} terms:[注文 TO 注文]^{common}"
    )


def test_a_search_needs_terms(store: EmbeddedStore) -> None:
    empty: Callable[[list[str]], Any] = lambda words: store.matching("tool", words, 9)  # noqa: E731
    assert empty([]) == empty([""]) == empty(["nobody"]) == []
