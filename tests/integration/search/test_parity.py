"""The same data on both engines gives the same answers, to the last byte."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spm.cypher import Query, load, names
from spm.gnn.model_store import prior
from spm.gnn.ranker import LearnedRanker
from spm.registry import encoding
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.catalog.naming import fold
from spm.registry.errors import InputError
from spm.registry.insight.browse import Browser, survey_ground
from spm.registry.insight.name_search import read_names
from spm.registry.models import Trace
from spm.registry.registry import Registry
from spm.registry.settings import Settings
from spm.registry.store.interface import Answer
from spm.registry.store.vector_files import VectorFiles
from tests.support import graphs
from tests.support.campaigns import size

pytestmark = pytest.mark.neo4j

READS = [q for name in names() if (q := load(name)).access == "read" and len(q.engines) == 2]
# What may differ: Neo4j has two schema files more, for its vector indexes, and enters each one in
# an operation of its own. The embedded engine enters all in one, and keeps vectors elsewhere.
TOLD_DIFFERENTLY = {
    "state/registry": ("revision", "schema"),
    "state/node_counts": ("count",),  # one operation for each of the schema files that Neo4j has
    "menu/frontier": ("vector",),
    "saved/chains": ("chain",),  # paths are alike where people ask: as saved queries
}
# Saved queries over edges that are one for all callers, or that ask nobody's rights: a restricted
# caller could learn of hidden tools from them, and is refused.
FOR_ALL_SEEING = {
    "alternatives", "chains", "cross_service", "cycles", "depends_on", "fed_by", "feeds",
    "inferred", "most_travelled", "single_producers", "trajectories_of", "unmade_inputs",
    "unreachable_without", "unused_by", "unused_tools", "versions",
}  # fmt: skip
SEEDS = range(1, 1 + size("parity_seeds"))
MENUS = size("parity_menus")

Pair = tuple[Registry, Registry]


@pytest.fixture(scope="module")
def pair(
    neo4j_server: Any, empty: Callable[[Any], None], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[graphs.Library], Pair]]:
    """Put a library into two fresh stores, one of each engine."""
    opened: list[Registry] = []
    empty(neo4j_server)

    def make(library: graphs.Library) -> Pair:
        while opened:
            opened.pop().close()
        with neo4j_server.driver() as driver:
            driver.execute_query("MATCH (n) DETACH DELETE n")
        folder = tmp_path_factory.mktemp("embedded")
        for settings in (Settings(str(folder)), neo4j_server.settings()):
            opened.append(Registry.open(settings))
            graphs.fill(opened[-1], library)
        link(opened[0], opened[1], neo4j_server, library)
        return opened[0], opened[1]

    yield make
    while opened:
        opened.pop().close()


def link(embedded: Registry, remote: Registry, server: Any, library: graphs.Library) -> None:
    """Review fields as the same; nothing in spm writes these edges yet."""
    text: Any = (
        "UNWIND $rows AS row MATCH (a:Field {name: row.a}) MATCH (b:Field {name: row.b}) "
        "MERGE (a)-[s:SAME_AS]->(b) SET s.reviewed_by = 'Zoë', s.at = '2026-01-01'"
    )
    rows = [{"a": fold(a), "b": fold(b)} for a, b in library.same]
    if rows:
        store: Any = embedded.store
        store._graph.cypher(text, params={"rows": rows})
        with server.driver() as driver:
            driver.execute_query(text, rows=rows)


def exact(value: object) -> str:
    """Text in which 1, 1.0 and true differ, and so do the orders of rows and of columns."""
    return json.dumps(value, ensure_ascii=False, default=dataclasses.asdict)


def parameters(query: Query, store: Any, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Parameters drawn from the data: everything, a few, strangers, nothing."""
    tools = store.read("tools/names")
    ids = [row["id"] for row in tools]
    published = store.query("MATCH (v:ToolVersion) RETURN v.tool_id AS id, v.version AS v", {},
                            limit=10_000, timeout=60).rows  # fmt: skip
    listed = store.read("tools/list", service=None, family=None, status=None)
    resources = store.read("exchange/resources")
    several: dict[str, list[Any]] = {
        "fields": [row["field"] for row in store.read("fields/vocabulary")],
        "keys": sorted({fold(row["name"]) for row in tools}),
        # Of every kind at once: each query finds its own and must pass by the others.
        "ids": [
            *ids,
            *sorted({row["id"] for row in published} - set(ids)),
            *[f"{row['id']}@{row['v']}" for row in published],
            *[row["id"] for row in store.read("vectors/trajectory_texts")],
        ],
    }
    one: dict[str, list[Any]] = {
        "field": several["fields"],
        "tool": ids + [row["name"] for row in tools],
        "id": ids,
        "name": [row["name"] for row in tools],
        "version": ["1", "1.0.0", "2"],
        "service": [None, *sorted({row["service"] for row in listed})],
        "family": [None, *sorted({row["family"] for row in listed})],
        "status": [None, "active", "deprecated"],
        "operation": ["unknown"],
        "after": ["", *ids],
        "before": ["2026-03-01T00:00:00Z", "2026-06-01T00:00:00Z", ""],
        "count": [1, 10, 1000],
        "team": [None, "team a", ""],
        "scopes": [None, [], ["a", "b"], ["read:x"]],
        "read_only": [True, False],
        "at": ["2026-03-01T00:00:00Z"],
        "owner": ["team a", "team", "finance", "commerce"],
        "source": ["log", "", "demo"],
        "resource": [row["id"] for row in resources] + [row["name"] for row in resources],
    }
    never_strange: dict[str, list[Any]] = {
        "sources": [
            [{"id": tool, "weight": 1_000_000 // (60 + at)} for at, tool in enumerate(some)]
            for some in (ids, [*ids[::3], "nobody"], [])
        ],
        "same": [
            [{"field": name, "stands": several["fields"][0]} for name in several["fields"][::4]],
            [],
        ],
        "per_source": [4, 1],
        "least": [1, 2],
        "limit": [256, 2],
        **{name: one.pop(name) for name in ("count", "scopes", "read_only")},
    }
    several["given"] = several["fields"]
    several["inputs"] = several["fields"]
    if query.name == "tools/definition":
        for row in rng.sample(published, min(8, len(published))):
            yield {"id": row["id"], "version": row["v"]}
    for draw in range(6 if query.params else 1):
        chosen: dict[str, Any] = {}
        for name in query.params:
            if name in one:
                chosen[name] = rng.choice([*one[name], "nobody"])
                continue
            if name in never_strange:
                chosen[name] = rng.choice(never_strange[name])
                continue
            known = several[name]
            few = rng.sample(known, min(20, len(known)))
            chosen[name] = ([], known, [*few, "nobody"], few, few[:1] * 2, ["nobody"])[draw]
        yield chosen


def compare(pair: Pair, seed: int) -> int:
    """Run every shared read query on both; returns how many answers were compared."""
    embedded, remote = (registry.store for registry in pair)
    count = 0
    for query in READS:
        for params in parameters(query, embedded, random.Random(seed)):
            expected, found = embedded.read(query.name, **params), remote.read(query.name, **params)
            for row in (*expected, *found):
                for column in TOLD_DIFFERENTLY.get(query.name, ()):
                    del row[column]
            assert exact(found) == exact(expected), f"{query.name} {params}"
            count += 1
    return count


# -- query files --------------------------------------------------------------------------------


@pytest.mark.campaign
@pytest.mark.parametrize("seed", SEEDS)
def test_every_read_query_answers_the_same_on_random_graphs(
    seed: int, pair: Callable[[graphs.Library], Pair]
) -> None:
    both = pair(graphs.random_library(seed))
    count = compare(both, seed)
    count += compare_adhoc(both)
    print(f"\nseed {seed}: {count} answers compared, {both[0].status()}")
    assert count > 100


def test_random_graphs_hold_what_they_are_for() -> None:
    libraries = [graphs.random_library(seed) for seed in range(1, 7)]
    tools = [t for x in libraries for m in (*x.manifests, *x.later) for t in m.tools]
    steps = [s for x in libraries for t in x.traces for s in t.steps]
    assert {t.status for t in tools} == {"active", "deprecated", "quarantined"}
    assert {bool(t.family) for t in tools} == {True, False}
    assert {len(t.inputs) == 0 for t in tools} == {True, False}
    assert {spec.required for t in tools for spec in t.inputs} == {True, False}
    assert {s.ok for s in steps} == {True, False}
    assert any("😀" in t.name for t in tools)
    assert any(x.removed and x.same for x in libraries)
    assert all(any(t.flows for t in x.traces) for x in libraries)


# -- ad-hoc queries -----------------------------------------------------------------------------

ADHOC = """
MATCH (t:Tool) RETURN t ORDER BY t.id
MATCH (f:Field) RETURN f AS field ORDER BY f.name
MATCH (s:Service)<-[e:PROVIDED_BY]-(t) RETURN s, e, t.id AS id ORDER BY id
MATCH (t:Tool)-[e:REQUIRES]->(f:Field) RETURN e, t.id AS id, f.name AS field ORDER BY id, field
MATCH (t:Tool)-[e:PRODUCES]->(f) RETURN e, t.id AS id, f.name AS f ORDER BY id, f
MATCH (a)-[e:PRECEDES]->(b) RETURN a.id AS a, e, b.id AS b ORDER BY a, b
MATCH (j:Trajectory)-[s:STEP]->(t) RETURN j.id AS j, s, t.id AS t ORDER BY j, s.idx
MATCH p = (t:Tool)-[:PRODUCES]->(f:Field) RETURN p, t.id AS t, f.name AS f ORDER BY t, f
MATCH p = (a:Tool)-[:PRODUCES]->(f)<-[:REQUIRES]-(b) RETURN p ORDER BY a.id, f.name, b.id LIMIT 50
MATCH p = (a:Tool)-[:FEEDS]->(b:Tool) RETURN p ORDER BY a.id, b.id LIMIT 50
MATCH p = (a:Tool)<-[:FEEDS*1..2]-(b:Tool) RETURN p ORDER BY [n IN nodes(p) | n.id] LIMIT 50
MATCH p = (a:Field)-[:SAME_AS]->(b) RETURN p, a.name AS a, b.name AS b ORDER BY a, b
MATCH (a:Field)-[e:FLOWS]->(b:Field) RETURN a.name AS a, e, b.name AS b ORDER BY a, b
MATCH (v:ToolVersion) RETURN v ORDER BY v.id
MATCH (j:Trajectory) RETURN j ORDER BY j.id
MATCH (n:Family) RETURN n ORDER BY n.name
MATCH (t:Tool) RETURN {id: t.id, list: [t.version, t.family], none: null} AS m ORDER BY t.id
MATCH (t:Tool) RETURN t.id AS id, t.successor AS s, t.missing AS m ORDER BY id
MATCH (t:Tool) WITH t ORDER BY t.id RETURN collect(t.id) AS ids, count(*) AS n
MATCH (t:Tool) RETURN t.service AS s, count(t) AS n, min(t.id) AS a, max(t.id) AS b ORDER BY s
MATCH (t:Tool) RETURN t.status AS s, count(DISTINCT t.family) AS f ORDER BY s
MATCH (t:Tool) RETURN sum(t.calls) * 1.0 / count(t) AS a, sum(t.calls) AS s, max(t.calls) AS m
MATCH (t:Tool) OPTIONAL MATCH (t)-[:IN_FAMILY]->(f) RETURN t.id AS id, f ORDER BY id
MATCH (t:Tool) RETURN t.id AS id, t.successor IS NULL AS none ORDER BY t.successor, id
MATCH (t:Tool) RETURN t.id AS id, t.successor AS s ORDER BY s DESC, id
MATCH (t:Tool) WHERE t.id CONTAINS 'e' RETURN t.id AS id ORDER BY id SKIP 1 LIMIT 3
MATCH (t:Tool) WHERE t.name STARTS WITH 'S' OR t.name ENDS WITH 'r' RETURN t.name AS n ORDER BY n
MATCH (t:Tool) RETURN DISTINCT t.effects AS e ORDER BY e
MATCH (t:Tool) RETURN t.id AS id, size(t.scopes) AS n, t.scopes AS s ORDER BY id
MATCH (t:Tool) WHERE NOT (t)-[:REQUIRES]->(:Field) RETURN t.id AS id ORDER BY id
MATCH (t:Tool) RETURN t.id AS id, COUNT { (t)-[:REQUIRES]->() } AS n ORDER BY id
MATCH (t:Tool) WHERE EXISTS { (t)-[:PRODUCES]->() } RETURN t.id AS id ORDER BY id
MATCH (t:Tool) RETURN t.id AS id, CASE WHEN t.calls > 3 THEN 'busy' ELSE 'idle' END AS c ORDER BY id
MATCH (j:Trajectory) RETURN j.id AS id, j.path AS path, size(j.path) AS n ORDER BY id
MATCH (j:Trajectory) RETURN j.id AS id, [x IN j.path WHERE x CONTAINS 'o' | x] AS l ORDER BY id
MATCH (j:Trajectory) UNWIND j.path AS tool RETURN tool, count(*) AS n ORDER BY n DESC, tool
MATCH (j:Trajectory) RETURN j.success AS s, count(*) AS n ORDER BY s
MATCH (j:Trajectory) WHERE j.time IS NULL RETURN j.id AS id ORDER BY id
MATCH (a:Tool)-[:PRECEDES*1..2]->(b:Tool) RETURN DISTINCT a.id AS a, b.id AS b ORDER BY a, b
MATCH (t:Tool) RETURN t.id AS id, labels(t) AS l ORDER BY id
MATCH (t:Tool)-[e]->() RETURN type(e) AS type, count(*) AS n ORDER BY type
RETURN 1 AS one, 1.5 AS half, true AS yes, null AS none, 'é😀' AS text, [1, null, 'a'] AS list
RETURN 7 / 2 AS a, -7 / 2 AS b, 7 % 3 AS c, -7 % 3 AS d, 7 / 2.0 AS e, 2 ^ 3 AS f
RETURN toUpper('größe') AS a, toLower('ÀÉ') AS b, trim('  x ') AS c, size('é😀') AS d
RETURN split('a,b', ',') AS a, replace('aXb', 'X', '-') AS b, substring('hello', 1, 3) AS c
RETURN coalesce(null, 'x') AS a, toString(1) AS b, toInteger('7') AS c, toFloat('1.5') AS d
RETURN null = null AS a, null IS NULL AS b, 1 IN [1, null] AS c, 2 IN [1, null] AS d
UNWIND [3, 1, null, 2] AS x RETURN x ORDER BY x
UNWIND ['b', 'a', null] AS x RETURN x ORDER BY x DESC
UNWIND [] AS x RETURN x
UNWIND $names AS x MATCH (t:Tool {name: x}) RETURN x, t.id AS id ORDER BY x, id
RETURN $text AS text, $list AS list, $map AS map, $none AS none
""".strip().splitlines()
GIVEN: dict[str, Any] = {
    "names": ["SendEmail", "tool😀", "match", "nobody"],
    "text": 'O\'Brien "q" \\ ` 😀',
    "list": [1, 2.5, "x", None, True, []],
    "map": {"a": 1, "b": [None], "c": {"d": "e"}},
    "none": None,
}


def compare_adhoc(pair: Pair) -> int:
    """Ask both the same ad-hoc questions; returns how many."""
    embedded, remote = pair
    for text in ADHOC:
        given = {name: value for name, value in GIVEN.items() if f"${name}" in text}
        found, expected = remote.cypher(text, given), embedded.cypher(text, given)
        assert exact(found) == exact(expected), text
    return len(ADHOC)


# -- the demo: paths, plans, menus --------------------------------------------------------------


@pytest.fixture(scope="module")
def shop(pair: Callable[[graphs.Library], Pair], demo_folder: Path) -> Pair:
    """The demo on both engines, with the same vectors."""
    made = VectorFiles(demo_folder)
    both = pair(graphs.demo_library())
    for kind in encoding.KINDS:
        ids, vectors = made.matrix(kind)
        digests = made.encoded(kind)
        for registry in both:
            texts = {row["id"]: row["text"] for row in registry.store.read(f"vectors/{kind}_texts")}
            registry.store.put_vectors(
                kind, ids, [texts[i] for i in ids], [digests[i] for i in ids], vectors, "minilm"
            )
    return both


class Remembering:
    """The real encoder, asked once for each request."""

    def __init__(self, encoder: Any) -> None:
        self.name, self.dimensions, self._encoder = encoder.name, encoder.dimensions, encoder
        self._known: dict[str, Any] = {}

    def encode_requests(self, texts: list[str], progress: Any = None) -> Any:
        return np.stack([rows[0] for rows in self.encode_clauses(texts)])

    def encode_clauses(self, texts: list[str], progress: Any = None) -> Any:
        for text in texts:
            if text not in self._known:
                self._known[text] = self._encoder.encode_clauses([text])[0]
        return [self._known[text] for text in texts]


def test_every_read_query_answers_the_same_on_the_demo(shop: Pair) -> None:
    count = compare(shop, 0) + compare_adhoc(shop)
    print(f"\ndemo: {count} answers compared")


def answer(registry: Registry, name: str, params: dict[str, Any], caller: Caller) -> object:
    """What a saved query answers, or the words with which the registry refuses it."""
    try:
        return registry.saved(name, params, caller=caller)
    except InputError as refused:
        return str(refused)


def test_saved_queries_answer_the_same(shop: Pair) -> None:
    embedded, remote = shop
    count = 0
    told: dict[str, set[bool]] = {"answered": set(), "refused": set()}
    for name in names("saved"):
        query = load(name)
        for params in parameters(query, embedded.store, random.Random(7)):
            rights = {key: params.pop(key, None) for key in EVERYTHING.params()}
            if not set(EVERYTHING.params()) & set(query.params) and count % 2:
                rights["team"] = "commerce"
            asks = Caller(rights["team"], rights["scopes"], bool(rights["read_only"]))
            short = name.removeprefix("saved/")
            found = answer(embedded, short, params, asks)
            assert exact(answer(remote, short, params, asks)) == exact(found), (name, params)
            refused = f"The saved query {short!r} is for callers that see everything."
            expected = asks.restricted and short in FOR_ALL_SEEING
            assert (found == refused) == expected, (name, asks)
            assert expected or isinstance(found, Answer), (name, found)
            told["refused" if expected else "answered"].add(asks.restricted)
            count += 1
    assert told == {"answered": {True, False}, "refused": {True}}
    print(f"\n{count} saved queries compared")


def test_tools_and_paths_are_the_same(shop: Pair) -> None:
    embedded, remote = shop
    ids = [row["id"] for row in embedded.tools()]
    assert exact(remote.tools()) == exact(embedded.tools())
    rng = random.Random(11)
    ways = 0
    for _ in range(40):
        a, b = rng.sample(ids, 2)
        found = embedded.paths(a, b)
        ways += len(found)
        assert exact(remote.paths(a, b)) == exact(found), (a, b)
        assert exact(remote.show(a)) == exact(embedded.show(a))
    print(f"\n40 pairs of tools, {ways} ways between them")
    assert ways > 10


def test_plans_are_the_same(shop: Pair) -> None:
    embedded, remote = shop
    fields = [row["field"] for row in embedded.store.read("fields/vocabulary")]
    rng = random.Random(12)
    targets = rng.sample([row["id"] for row in embedded.tools()], 40)
    steps = 0
    for target in targets:
        have = rng.sample(fields, rng.randint(0, 3))
        found = embedded.plan(have, target)
        steps += len(found.steps)
        assert exact(remote.plan(have, target)) == exact(found), (have, target)
    print(f"\n40 plans, {steps} steps in all")


@pytest.mark.parametrize("caller", [EVERYTHING, Caller("commerce"), Caller(read_only=True)])
def test_pieces_of_the_graph_are_the_same(shop: Pair, caller: Caller) -> None:
    grounds = [survey_ground(registry.store, caller) for registry in shop]
    assert exact(grounds[0].families_first()) == exact(grounds[1].families_first())
    names = [read_names(registry.store, caller, grounds[0]) for registry in shop]
    assert exact(names[0]) == exact(names[1])
    asks: list[Callable[[Browser], object]] = [
        lambda b: b.family("order", 5),
        lambda b: b.family("", 5),
        lambda b: b.field("customer_email", 3),
        lambda b: b.field("order_id", 50),
        lambda b: b.tool("find_shipment"),
    ]
    for ask in asks:
        found, expected = (
            ask(Browser(registry.store, caller, ground))
            for registry, ground in zip(shop, grounds, strict=True)
        )
        assert exact(found) == exact(expected)


def test_nearest_is_the_same(shop: Pair, encoder: Any) -> None:
    embedded, remote = (registry.store for registry in shop)
    requests = [t.request for t in graphs.demo_library().traces[::40]]
    # Far from all that was indexed: here the index overlooks most.
    requests += ["注文 4821 を探す", "x", "Wo ist mein Paket?"]
    for vector in encoder.encode_requests(requests):
        for kind in encoding.KINDS:
            for count in (10, 96):
                expected = embedded.nearest(kind, vector, count)
                assert remote.nearest(kind, vector, count) == expected
    assert embedded.encoded("tool") == remote.encoded("tool")
    assert embedded.encoded("trajectory") == remote.encoded("trajectory")


@pytest.mark.campaign
def test_menus_are_the_same(shop: Pair, encoder: Any) -> None:
    known = [t.request for t in graphs.demo_library().traces]
    requests = [
        *random.Random(13).sample(known, MENUS - 6),
        "Email the customer the receipt for order 4821",
        "refund $20 to jane@example.com for order 77 tomorrow",
        "Wo ist mein Paket?",
        "注文 4821 を探す",
        "x",
        "'; MATCH (n) DETACH DELETE n //",
    ]
    shared: Any = Remembering(encoder)
    rankers: list[Any] = [LearnedRanker(registry.store, lambda: shared, prior) for registry in shop]
    for number, request in enumerate(requests):
        size: dict[str, Any] = {"size": 5, "prefix": 3} if number % 5 == 0 else {}
        state = ["order_id"] if number % 3 == 0 else []
        expected, found = (
            dataclasses.replace(r.menu(request, ranker=ranker, state=state, **size), revision=0)
            for r, ranker in zip(shop, rankers, strict=True)
        )
        assert found == expected, request
        assert exact(found) == exact(expected), request
        assert found.items
    print(f"\n{len(requests)} menus compared")


def test_one_order_differs_beyond_the_basic_plane(shop: Pair) -> None:
    """Known: the embedded engine sorts text by code point, Neo4j by UTF-16 unit."""
    texts = ["a", "ｚ", "😀", "é"]  # U+FF5A is below U+1F600, but above its first surrogate
    text = "UNWIND $texts AS x RETURN x ORDER BY x"
    embedded, remote = ([r["x"] for r in x.cypher(text, {"texts": texts}).rows] for x in shop)
    assert embedded == sorted(texts)
    assert remote == sorted(texts, key=lambda t: t.encode("utf-16-be"))
    assert embedded != remote


def test_means_differ_in_the_last_digits(shop: Pair) -> None:
    """Known: Neo4j carries a running mean, the embedded engine divides the sum."""
    text = "MATCH (t:Tool) RETURN avg(t.calls) AS a"
    embedded, remote = (x.cypher(text).rows[0]["a"] for x in shop)
    assert embedded == pytest.approx(remote, rel=1e-12)
    assert not any("avg(" in query.text for query in READS)


def test_what_is_refused_is_refused_on_both(shop: Pair) -> None:
    from spm.registry.errors import SpmError

    asks: list[Callable[[Registry], object]] = [
        lambda r: r.show("nobody_at_all"),
        lambda r: r.paths("send_email", "nobody_at_all"),
        lambda r: r.plan(["no_such_field"], "send_email"),
        lambda r: r.remove("find_customer"),
        lambda r: r.cypher("CREATE (n) RETURN n"),
        lambda r: r.saved("feeds", {}),
    ]
    for ask in asks:
        said = []
        for registry in shop:
            with pytest.raises(SpmError) as refused:
                ask(registry)
            said.append((type(refused.value), str(refused.value)))
        assert said[0] == said[1]


def test_a_query_that_cannot_run_fails_alike(shop: Pair) -> None:
    from spm.registry.errors import QueryFailed

    for text in ("MATCH (t:Tool RETURN t", "RETURN nothing", "MATCH (t:Tool) RETURN t.id +"):
        for registry in shop:
            with pytest.raises(QueryFailed):
                registry.cypher(text)


def test_long_answers_are_cut_alike(shop: Pair, tmp_path: Path) -> None:
    text = "UNWIND range(1, $n) AS x RETURN x"
    for n in (9_999, 10_000, 10_001):
        found = [registry.cypher(text, {"n": n}) for registry in shop]
        assert exact(found[0]) == exact(found[1])
        assert found[0].truncated == (n > 10_000)


# -- last, because it empties the server --------------------------------------------------------


def test_a_store_that_nobody_wrote_to_answers_the_same(neo4j_bare: Any, tmp_path: Path) -> None:
    with (
        Registry.open(Settings(str(tmp_path / "new"))) as embedded,
        Registry.open(neo4j_bare.settings()) as remote,
    ):
        menus = [r.menu("x") for r in (embedded, remote)]
        assert menus[0] == menus[1]
        assert menus[0].notes
        assert exact(remote.tools()) == exact(embedded.tools()) == "[]"
        different = {"engine", "store"}
        status = [{k: v for k, v in r.status().items() if k not in different}
                  for r in (embedded, remote)]  # fmt: skip
        assert status[0] == status[1]


def test_the_same_request_many_times_is_ranked_by_id(neo4j_empty: Any, tmp_path: Path) -> None:
    count = 300
    traces = [
        Trace.model_validate({"trace_id": f"t-{i:03}", "request": "same", "steps": ["tool_0"]})
        for i in range(count)
    ]
    vector = np.full(384, 384**-0.5, dtype=np.float32)
    ids = [trace.identity() for trace in traces]
    found = []
    for settings in (neo4j_empty.settings(), Settings(str(tmp_path / "ties"))):
        with Registry.open(settings) as registry:
            registry.register(graphs.small_manifest("shop", 1))
            registry.import_traces(traces)
            registry.store.put_vectors(
                "trajectory", ids, ["same"] * count, ["d"] * count, np.tile(vector, (count, 1)), "e"
            )
            found.append([node for node, _ in registry.store.nearest("trajectory", vector, 10)])
    assert found[0] == ids[:10]
    assert found[1] == found[0]
