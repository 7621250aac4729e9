"""Finding by vector and by words: both engines answer the same, whoever asks."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spm.registry import encoding
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.models import Manifest, Trace
from spm.registry.registry import Registry
from spm.registry.request.clauses import clauses
from spm.registry.search import neo4j_search
from spm.registry.search.bm25 import stems
from spm.registry.search.results import Probes
from spm.registry.settings import Settings
from spm.registry.store.interface import Store, Vector
from tests.support.campaigns import size

pytestmark = pytest.mark.neo4j

Pair = tuple[Registry, Registry]
SIZE = 16
# Each kind of caller takes the server seconds to plan for: the first three stand for all.
CALLERS = (
    EVERYTHING,
    Caller("a", ("x", "y"), read_only=True),
    Caller("nobody", (), read_only=True),
    Caller("a"),
    Caller("b", ("x",)),
    Caller(scopes=()),
    Caller(read_only=True),
)[: size("search_callers")]
# What means something to Lucene, beside common and rare words and other scripts.
WORDS = """
    get data order user mail list item find send AND OR NOT TO and or not to + - && || ! ( ) { } [ ]
    ^ " ~ * ? : \\ / order* ord?r order~ "order "order" order^2 terms:order [a TO b] 注文 поиск
    größe tool😀 café 4k v2
""".split()
REQUESTS = (
    "find the order of a user", "get data", "send mail AND list items OR not", '"order"',
    "order~ *", "注文 поиск größe", "a", "nothing of the kind", " ".join(WORDS),
    "find the order of a user, then send the mail list and get all the data of an item",
)  # fmt: skip
ASKED = REQUESTS[-size("search_requests") :]


class Hashing:
    """Vectors that depend on the text alone."""

    name, dimensions = "hashing", SIZE

    def encode_documents(self, texts: Sequence[str], progress: Any = None) -> Vector:
        return np.stack([vector_of(text) for text in texts])

    encode_requests = encode_documents


def vector_of(text: str) -> Vector:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    row = np.random.default_rng(seed).normal(size=SIZE)
    found: Vector = (row / np.linalg.norm(row)).astype(np.float32)
    return found


def manifest(rng: random.Random, service: str, count: int, **fixed: Any) -> Manifest:
    tools = [
        {
            "name": f"{service}_{i}",
            "description": " ".join(rng.choices(WORDS, k=rng.randint(0, 12))),
            "owner": rng.choice(["", "a", "b"]),
            "visibility": rng.choice(["public", "team", "private"]),
            "scopes": rng.choice([[], [], ["x"], ["y", "x"]]),
            "effects": rng.choice(["read", "read", "write", "destructive"]),
            "status": rng.choice(["active"] * 6 + ["deprecated", "quarantined"]),
            **fixed,
        }
        for i in range(count)
    ]
    return Manifest.model_validate({"spm": 1, "service": service, "tools": tools})


def traces(rng: random.Random, prefix: str, tools: list[str], count: int) -> list[Trace]:
    return [
        Trace.model_validate(
            {
                "trace_id": f"{prefix}-{i}",
                "request": " ".join(rng.choices(WORDS, k=rng.randint(0, 9))),
                "success": rng.random() < 0.8,
                "steps": [
                    {"tool": rng.choice(tools), "ok": rng.random() < 0.8}
                    for _ in range(rng.choice([1, 1, 2, 3]))
                ],
            }
        )
        for i in range(count)
    ]


def fill(registry: Registry, seed: int) -> None:
    rng = random.Random(seed)
    made = manifest(rng, "shop", 120)
    registry.register(made)
    registry.import_traces(traces(rng, "t", [t.name for t in made.tools], 300))
    registry.encode(Hashing())


@pytest.fixture(scope="module")
def both(
    neo4j_server: Any, empty: Callable[[Any], None], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    empty(neo4j_server)
    folder = tmp_path_factory.mktemp("embedded")
    with (
        Registry.open(Settings(str(folder))) as embedded,
        Registry.open(neo4j_server.settings()) as remote,
    ):
        for registry in (embedded, remote):
            fill(registry, 1)
        yield embedded, remote


def answers(store: Store, caller: Caller) -> str:
    """Everything that can be asked, as text in which the last digit counts."""
    found: list[Any] = []
    for request in ASKED:
        for count in (3, 500):
            look = store.look(probes_of(request), count, count, caller)
            found.append([look.tools.keys, look.tools.words.tolist()])
            found.append([look.encoder, look.same, dataclasses.asdict(look.recalled)])
            for kind in encoding.KINDS:
                found.append(store.nearest(kind, vector_of(request), count, caller))
                found.append(store.matching(kind, stems(request), count, caller))
    return json.dumps(found)


def probes_of(request: str) -> Probes:
    parts = [request[begin:end] for begin, end in clauses(request)]
    return Probes.of(request, np.stack([vector_of(text) for text in (request, *parts)]))


@pytest.mark.campaign
@pytest.mark.parametrize("caller", CALLERS, ids=str)
def test_both_engines_find_the_same(caller: Caller, both: Pair) -> None:
    embedded, remote = (answers(registry.store, caller) for registry in both)
    assert remote == embedded
    assert "shop/" in embedded


def test_there_is_something_to_find(both: Pair) -> None:
    for registry in both:
        for caller in CALLERS:
            for kind in encoding.KINDS:
                assert registry.store.nearest(kind, vector_of("x"), 9, caller), (kind, caller)
                assert registry.store.matching(kind, ["order"], 9, caller), (kind, caller)


@pytest.mark.parametrize("word", WORDS)
def test_a_term_is_taken_as_it_is(word: str, both: Pair) -> None:
    """Also terms that `terms` never makes: none is syntax, none fails, none meets another."""
    embedded, remote = (registry.store for registry in both)
    for given in ([word], [word, "order"], [f'{word}" OR "order'], [f"{word} order"], [word * 99]):
        for kind in encoding.KINDS:
            assert remote.matching(kind, given, 99) == embedded.matching(kind, given, 99), given


def test_very_many_terms_are_no_error(both: Pair) -> None:
    many = [f"word{i}" for i in range(5_000)]
    for given in (["order", *many], [*many, "order"]):
        found = [registry.store.matching("tool", given, 9) for registry in both]
        assert found[0] == found[1]
        assert bool(found[0]) == (given[0] == "order")


def test_vectors_are_the_same(both: Pair) -> None:
    embedded, remote = (registry.store for registry in both)
    for kind in encoding.KINDS:
        ids = [row["id"] for row in embedded.read(f"vectors/{kind}_texts")]
        random.Random(3).shuffle(ids)
        for wanted in (ids, [*ids[:5], "nobody", ids[0]], ["nobody"], []):
            found = remote.vectors(kind, wanted)
            assert found.dtype == np.float32
            assert found.shape == (len(wanted), SIZE) or not wanted
            assert np.array_equal(found, embedded.vectors(kind, wanted)) or not wanted


@pytest.mark.campaign
def test_few_windows_and_many_give_the_same(both: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    remote = both[1].store
    expected = [answers(remote, caller) for caller in CALLERS[:3]]
    monkeypatch.setattr(neo4j_search, "SPARE", 4)
    monkeypatch.setattr(neo4j_search, "GROWTH", 2)
    assert [answers(remote, caller) for caller in CALLERS[:3]] == expected


def test_the_approximate_search_finds_none_that_is_inactive(
    both: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neo4j_search, "EXHAUSTIVE", 0)
    store = both[1].store
    seen = {row["id"] for row in store.read("access/tools", **EVERYTHING.params())}
    found = store.nearest("tool", vector_of("x"), 500)
    assert {node for node, _ in found} == seen  # looked on until there were no more


def test_asked_for_all_the_index_compares_all_and_gives_the_nearest_first(both: Pair) -> None:
    """What makes the search of restricted callers exact; properties of the index."""
    store = both[1].store
    count = len(store.encoded("tool"))
    text = "CALL db.index.vector.queryNodes('tool_vector', $n, $v) YIELD score RETURN score"
    for request in REQUESTS:
        given = {"n": count, "v": vector_of(request).tolist()}
        scores = [row["score"] for row in store.query(text, given, limit=9999, timeout=60).rows]
        assert len(scores) == count
        assert scores == sorted(scores, reverse=True)


def test_a_lookup_is_a_few_reads(both: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many clauses a request has, and whoever asks."""
    store = both[1].store
    reads: list[str] = []
    real = store.read

    def counted(name: str, /, **params: object) -> list[dict[str, Any]]:
        reads.append(name)
        return real(name, **params)

    for request in ASKED:
        for caller in CALLERS:
            store.look(probes_of(request), 9, 9, caller)  # reads once which fields are one
    monkeypatch.setattr(store, "read", counted)
    for request in ASKED:
        for caller in CALLERS:
            reads.clear()
            store.look(probes_of(request), 9, 9, caller)
            assert len(set(reads)) == len(reads)
            assert {*reads} <= {
                "search/statistics",
                "search/tools_by_words",
                "search/tools_by_vector",
                "search/tools_found",
                "search/trajectories_by_words",
                "search/trajectories_by_vector",
                "search/trajectories_seen",
            }


# -- last, because it changes the library -------------------------------------------------------


@pytest.mark.campaign
def test_what_is_hidden_changes_no_byte(both: Pair) -> None:
    caller = Caller("a", ("x",), read_only=True)
    before = [answers(registry.store, caller) for registry in both]
    assert before[0] == before[1]
    hidden: tuple[dict[str, Any], ...] = (
        {"owner": "b", "visibility": "team"},
        {"owner": "", "visibility": "private"},
        {"scopes": ["x", "y"]},
        {"status": "quarantined"},
        {"status": "deprecated"},
        {"effects": "destructive"},
        {"effects": "write"},
    )
    seen = [row["id"] for row in both[0].store.read("access/tools", **caller.params())]
    for number, how in enumerate(hidden):
        made = manifest(random.Random(number), f"hidden{number}", 60, **how)
        unseen = [tool.name for tool in made.tools]
        rng = random.Random(number)
        ways = [
            Trace.model_validate(
                {
                    "trace_id": f"h-{number}-{i}",
                    "request": " ".join(rng.choices(WORDS, k=9)),
                    "steps": rng.sample([rng.choice(unseen), *rng.sample(seen, 2)], 3),
                }
            )
            for i in range(30)
        ]
        for registry in both:
            registry.register(made)
            registry.import_traces(ways)
            registry.encode(Hashing())
    assert [answers(registry.store, caller) for registry in both] == before
    assert answers(both[0].store, EVERYTHING) == answers(both[1].store, EVERYTHING)


def test_equal_ones_are_told_apart_by_id(both: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where there are more of them than the server looks through at first."""
    monkeypatch.setattr(neo4j_search, "SPARE", 8)
    plain: dict[str, Any] = {"visibility": "public", "scopes": [], "effects": "read"}
    seen = manifest(random.Random(0), "seen", 1, **plain, status="active")
    gone = manifest(random.Random(0), "gone", 1, **plain, status="quarantined")
    ways = [
        Trace.model_validate(
            {
                "trace_id": f"same-{number * 37 % 100}",
                "request": "the same words over and over",
                "steps": ["seen_0"] if number % 9 else ["seen_0", "gone_0"],
            }
        )
        for number in range(100)
    ]
    for registry in both:
        for made in (seen, gone):
            registry.register(made)
        registry.import_traces(ways)
        registry.encode(Hashing())
    for caller in (EVERYTHING, Caller("a")):
        found = [r.store.look(probes_of(ways[0].request), 5, 12, caller).recalled for r in both]
        assert found[0] == found[1]
        near = found[0].near
        assert near == list(found[0].words) == sorted(near)
        assert len(near) == 12
        assert all(node.startswith("same-") for node in near)


def test_what_is_removed_or_pruned_is_found_no_more(both: Pair) -> None:
    for registry in both:
        store = registry.store
        tool = store.matching("tool", ["order"], 1)[0][0]
        way = store.matching("trajectory", ["order"], 1)[0][0]
        registry.remove(tool, force=True)
        store.write("prune", lambda tx, way=way: _prune(tx, way))  # type: ignore[misc]
        assert tool not in dict(store.matching("tool", ["order"], 500))
        assert way not in dict(store.matching("trajectory", ["order"], 500))
        assert tool not in dict(store.nearest("tool", vector_of("x"), 500))
    assert answers(both[0].store, EVERYTHING) == answers(both[1].store, EVERYTHING)


def _prune(tx: Any, way: str) -> dict[str, Any]:
    tx.run("traces/prune_steps", ids=[way])
    tx.run("traces/prune", ids=[way])
    return {"pruned": 1}


def test_a_store_that_nobody_wrote_to(neo4j_bare: Any, tmp_path: Path) -> None:
    for settings in (Settings(str(tmp_path / "new")), neo4j_bare.settings()):
        with Registry.open(settings) as registry:
            for caller in (EVERYTHING, Caller("a")):
                assert registry.store.nearest("tool", vector_of("x"), 3, caller) == []
                assert registry.store.matching("tool", ["x"], 3, caller) == []
            assert registry.store.vectors("tool", ["x"]).shape == (1, 0)
