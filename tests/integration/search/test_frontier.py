"""The frontier on the real Neo4j: as on the embedded engine, as from arrays, in two reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from benchmarks.speed import generator
from spm.gnn.arrays.array_expansion import Question, expand
from spm.gnn.arrays.from_store import load
from spm.gnn.model_store import prior
from spm.gnn.ranker import LearnedRanker
from spm.gnn.snapshot.lifecycle import Snapshots
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.frontier.cypher_expansion import Expansion
from spm.registry.frontier.frontier import Frontier
from spm.registry.models import Manifest, ServiceSpec
from spm.registry.registry import Registry
from spm.registry.search import neo4j_search
from spm.registry.search.results import Probes
from spm.registry.settings import Settings
from tests.data.frontiers import (
    FIELDS,
    RULES,
    SMALL,
    WORDS,
    Worded,
    World,
    differing,
    limits,
    worlds,
)
from tests.support import graphs
from tests.support.campaigns import size
from tests.support.proxies import Proxy

pytestmark = pytest.mark.neo4j

ENCODER = Worded()
CALLER = Caller("a", ("x",), read_only=True)
CALLERS = (EVERYTHING, CALLER, Caller(scopes=("read:x",)))
REQUESTS = ("mail the customer the invoice of order 4821", "Größe 住所 😀", "")
ASKED = REQUESTS[: size("frontier_requests")]
Fill = Callable[[Registry], None]
Pair = tuple[Registry, Registry]


@pytest.fixture(scope="module")
def both(
    neo4j_server: Any, empty: Callable[[Any], None], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Fill], Pair]]:
    """Put the same into two fresh stores, one of each engine."""
    opened: list[Registry] = []
    empty(neo4j_server)

    def make(fill: Fill) -> Pair:
        while opened:
            opened.pop().close()
        with neo4j_server.driver() as driver:
            driver.execute_query("MATCH (n) DETACH DELETE n")
        folder = tmp_path_factory.mktemp("embedded")
        for where in (Settings(str(folder)), neo4j_server.settings()):
            opened.append(Registry.open(where))
            fill(opened[-1])
        return opened[0], opened[1]

    yield make
    while opened:
        opened.pop().close()


def question(text: str, fields: frozenset[str] = frozenset()) -> Question:
    rows = ENCODER.encode_clauses([text])[0]
    return Question(text, rows[0], fields, None, rows[1:])


def ask(
    registry: Registry,
    text: str,
    caller: Caller = EVERYTHING,
    fields: frozenset[str] = frozenset(),
    must: tuple[str, ...] = (),
) -> Frontier:
    rows = ENCODER.encode_clauses([text])[0]
    return Expansion(registry.store).frontier(Probes.of(text, rows), fields, caller, must)


def from_arrays(registry: Registry, text: str, fields: frozenset[str]) -> Frontier:
    return expand(load(registry.store), question(text, fields))


def encoded(library: graphs.Library) -> Fill:
    def fill(registry: Registry) -> None:
        graphs.fill(registry, library)
        registry.encode(ENCODER)

    return fill


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(size("frontier_libraries")))
def test_both_engines_and_arrays_give_the_same(seed: int, both: Callable[[Fill], Pair]) -> None:
    library = graphs.random_library(seed) if seed else graphs.demo_library()
    embedded, remote = both(encoded(library))
    fields = frozenset({"order_id", "email"})
    for constants in RULES:
        with limits(**constants):
            for text in ASKED:
                for caller in CALLERS:
                    found = ask(remote, text, caller, fields)
                    assert differing(found, ask(embedded, text, caller, fields)) == [], caller
                assert (
                    differing(from_arrays(remote, text, fields), ask(remote, text, fields=fields))
                    == []
                )


@pytest.mark.campaign
@settings(
    max_examples=size("frontier_worlds"),
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(worlds(), st.sampled_from(WORDS), st.frozensets(st.sampled_from(FIELDS), max_size=2))
def test_random_registries_give_the_same(
    both: Callable[[Fill], Pair], world: World, text: str, fields: frozenset[str]
) -> None:
    embedded, remote = both(world.fill)
    with limits(**SMALL):
        found = ask(remote, text, fields=fields)
        assert differing(found, ask(embedded, text, fields=fields)) == []
        assert differing(found, from_arrays(remote, text, fields)) == []


def from_snapshot(
    snapshots: Snapshots, text: str, caller: Caller, fields: frozenset[str]
) -> Frontier:
    rows = ENCODER.encode_clauses([text])[0]
    snapshot = snapshots.made()
    assert snapshot is not None
    question = Question(text, rows[0], fields, None, rows[1:])
    return snapshots.view(snapshot, caller).frontier(question)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(size("frontier_libraries")))
def test_the_snapshot_of_a_server_gives_the_same(
    seed: int,
    both: Callable[[Fill], Pair],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also a second time, when the file is made from the one before."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    library = graphs.random_library(seed) if seed else graphs.demo_library()
    _, remote = both(encoded(library))
    fields = frozenset({"order_id", "email"})
    snapshots = Snapshots(remote.store)
    for change in (SEEN.fill, None):
        for text in ASKED:
            for caller in CALLERS:
                found = from_snapshot(snapshots, text, caller, fields)
                assert differing(found, ask(remote, text, caller, fields)) == [], caller
        assert len(list(tmp_path.rglob("*.snapshot"))) == 1
        if change is not None:
            change(remote)
            assert snapshots.current() is None


# -- what is hidden -----------------------------------------------------------------------------


def tool(name: str, needs: str, gives: str, **more: Any) -> dict[str, Any]:
    return {
        "service": "shop",
        "name": name,
        "description": f"{name} the order and the invoice",
        "inputs": [{"name": needs}],
        "outputs": [{"name": gives}],
        **more,
    }


def way(name: str, *tools: str) -> dict[str, Any]:
    return {
        "trace_id": name,
        "request": "order mail",
        "steps": [{"tool": f"shop/{t}"} for t in tools],
    }


SEEN = World(
    [
        tool("find", "customer_name", "order_number"),
        tool("bill", "order_number", "tax"),
        tool("mail", "tax", "parcel", visibility="private", owner="a", scopes=["x"]),
        tool("track", "parcel", "customer_name"),
    ],
    [
        way("1", "find", "bill", "mail"),
        way("2", "find", "track"),
        way("3", "bill", "track", "bill"),
    ],
)
HIDDEN = World(
    [
        *SEEN.tools,
        tool("private", "tax", "order_number", visibility="private", owner="b"),
        tool("team", "parcel", "tax", visibility="team", owner="b"),
        tool("scope", "tax", "customer_name", scopes=["y"]),
        tool("quarantine", "tax", "parcel", status="quarantined"),
        tool("old", "tax", "parcel", status="deprecated"),
        tool("wipe", "customer_name", "tax", effects="destructive"),
        tool("write", "customer_name", "parcel", effects="write"),
    ],
    [
        *[
            way(f"h{at}", "find", name, "bill", "mail", "track")
            for at, name in enumerate(
                ("private", "team", "scope", "quarantine", "old", "wipe", "write")
            )
        ],
        *SEEN.traces,
        way("h7", "find", "mail", "private"),
        way("h8", "old", "track", "find"),
    ],
)


def test_what_is_hidden_changes_no_byte(both: Callable[[Fill], Pair]) -> None:
    for constants in RULES:
        with limits(**constants):
            expected = [ask(registry, "order mail", CALLER) for registry in both(SEEN.fill)]
            found = [ask(registry, "order mail", CALLER) for registry in both(HIDDEN.fill)]
        for first, second in zip(expected, found, strict=True):
            assert differing(first, second) == []
        assert differing(*found) == []
        assert set(found[1].tools) <= {"shop/find", "shop/bill", "shop/mail", "shop/track"}


@pytest.mark.campaign
def test_as_many_hidden_tools_change_no_byte(both: Callable[[Fill], Pair]) -> None:
    """Of the same words, fields and ways as those that the caller sees, so that all counts move."""
    tools = size("hidden_tools") // 2
    requests, caller = list(generator.requests(5)), Caller("a")
    seen = list(generator.manifests(tools))
    hidden = [
        Manifest(
            spm=1,
            service=ServiceSpec(name=f"hidden{number}"),
            tools=tuple(
                tool.model_copy(update={"visibility": "team", "owner": "b"}) for tool in one.tools
            ),
        )
        for number, one in enumerate(generator.manifests(tools, seed=1))
    ]
    ways = {
        service: [
            trace.model_copy(
                update={
                    "trace_id": f"{service} {trace.trace_id}",
                    "steps": tuple(
                        step.model_copy(update={"tool": f"{service}0/{step.tool}"})
                        for step in trace.steps
                    ),
                }
            )
            for trace in generator.traces(min(tools, generator.PER_SERVICE), 200)
        ]
        for service in ("service", "hidden")
    }

    def fill(registry: Registry, manifests: Sequence[Manifest], service: str) -> None:
        for manifest in manifests:
            registry.register(manifest)
        registry.import_traces(ways[service])
        registry.encode(ENCODER)

    pair = both(lambda registry: fill(registry, seen, "service"))
    before = [[ask(registry, text, caller) for text in requests] for registry in pair]
    for registry in pair:
        fill(registry, hidden, "hidden")
        assert registry.status()["tools"] == 2 * tools
    after = [[ask(registry, text, caller) for text in requests] for registry in pair]
    for first, second in zip([*before, before[0]], [*after, before[1]], strict=True):
        for one, other in zip(first, second, strict=True):
            assert differing(one, other) == []
            assert len(one.tools) == 128
    # To whoever sees them, hidden tools are not hidden.
    assert any("hidden" in tool for tool in ask(pair[1], requests[0]).tools)


def test_tools_that_must_be_there_come_first(both: Callable[[Fill], Pair]) -> None:
    _, remote = both(HIDDEN.fill)
    found = ask(remote, "order mail", CALLER, must=("shop/track", "shop/private", "shop/nobody"))
    assert found.tools[0] == "shop/track"
    assert len(found.tools) == 4
    assert ask(remote, "order mail", must=("shop/private",)).tools[0] == "shop/private"


def without_track(registry: Registry) -> None:
    registry.remove("shop/track", force=True)


@pytest.mark.campaign
def test_vectors_that_a_process_keeps_find_what_the_index_finds(
    both: Callable[[Fill], Pair], neo4j_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after writes: what is new, has another text or is gone is as in the store."""
    _, remote = both(encoded(graphs.demo_library()))
    monkeypatch.setattr(neo4j_search, "REMEMBER_AFTER", 1)
    changes: list[Fill] = [
        lambda registry: None,
        HIDDEN.fill,
        without_track,
        World([tool("bill", "order_number", "tax", title="mail and refund the customer")], []).fill,
    ]
    for change in changes:
        change(remote)
        for constants in RULES:
            with limits(**constants):
                for text in REQUESTS:
                    for caller in CALLERS:
                        found = ask(remote, text, caller)
                        with Registry.open(
                            neo4j_server.settings()
                        ) as other:  # whose first search this is
                            assert differing(found, ask(other, text, caller)) == []


# -- reads --------------------------------------------------------------------------------------


SEARCH = {
    "search/statistics",
    "search/tools_by_words",
    "search/tools_by_vector",
    "search/tools_found",
    "search/trajectories_by_words",
    "search/trajectories_by_vector",
}
WALK = {"menu/producers", "menu/candidates", "vectors/tool_vectors"}
PLAN, MOST_READS = {"menu/asked", "map/cards", "tools/definitions"}, 12


@pytest.mark.parametrize(
    ("caller", "walk"),
    [(EVERYTHING, WALK | {"menu/neighbours", "menu/order"}), (CALLER, WALK | {"menu/ways"})],
    ids=["operator", "team"],  # a set is printed in another order by each worker
)
@pytest.mark.parametrize("after", [1_000, 0], ids=["index", "vectors that are kept"])
def test_a_menu_reads_a_few_times_whatever_is_asked(
    caller: Caller,
    walk: set[str],
    after: int,
    both: Callable[[Fill], Pair],
    neo4j_server: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All that a menu reads and all that goes over the line, once the vocabulary is known."""
    monkeypatch.setattr(neo4j_search, "REMEMBER_AFTER", after)
    search = SEARCH if after else SEARCH - {"search/tools_by_vector"}
    if not (after or caller.restricted):
        search = search - {"search/trajectories_by_vector"} | {"search/trajectories_seen"}
    both(HIDDEN.fill)
    line = Proxy(neo4j_server.uri)
    with Registry.open(neo4j_server.settings(line.uri)) as registry:
        ranker = LearnedRanker(registry.store, lambda: ENCODER, prior)
        reads: list[str] = []
        real = registry.store.read

        def counted(name: str, /, **params: object) -> list[dict[str, Any]]:
            reads.append(name)
            return real(name, **params)

        monkeypatch.setattr(registry.store, "read", counted)
        for text in ("order", "find the order of a customer, then mail the invoice of the order"):
            registry.menu("refund", caller=caller, ranker=ranker)
            reads.clear()
            before = line.turns
            assert registry.menu(text, caller=caller, ranker=ranker).items
            assert [reads.count(name) for name in sorted(search)] == [1] * len(search)
            assert walk <= {*reads}
            # A plan reads on: a bounded number of times, whatever it looks at.
            assert {*reads} <= search | walk | PLAN
            assert line.turns - before == len(reads) <= len(search) + len(walk) + MOST_READS
    line.close()


def test_an_empty_store(neo4j_bare: Any) -> None:
    with Registry.open(neo4j_bare.settings()) as registry:
        for caller in CALLERS:
            found = ask(registry, "order", caller)
            assert found.tools == found.memory.ids == []
        assert differing(ask(registry, "order"), from_arrays(registry, "order", frozenset())) == []
