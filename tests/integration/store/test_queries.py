"""Every query file on the real Neo4j: no notification, the declared columns, no lost update."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest

from spm.cypher import Query, load, names
from spm.registry.access.caller import EVERYTHING
from spm.registry.registry import Registry
from spm.registry.settings import Settings
from spm.registry.store import schema, staging
from tests.support import graphs

pytestmark = pytest.mark.neo4j

QUERIES = [load(name) for name in names()]
SHARED = [query for query in QUERIES if len(query.engines) == 2 and query.access != "schema"]
NO_NOTIFICATION = {"00000", "00001", "02000"}  # success, nothing to return, no rows
# What IF NOT EXISTS says when it had nothing to do; that an index takes vectors of any length.
SCHEMA_NOTES = {"00NA0", "00NA2"}
# Cypher 25 has a clause SEARCH instead, which Neo4j 5.26 does not know; the procedure is in both.
NEAREST = "db.index.vector.queryNodes"
DEPRECATED = f"{NEAREST} is deprecated. It is replaced by SEARCH."
VECTOR = [1.0] + [0.0] * 383
ROW = {
    "id": "shop/x", "tool_id": "shop/x", "name": "x", "key": "x", "title": "X", "description": "",
    "search_parts": ["x", ""], "version": "1", "number": 1, "content_hash": "0", "definition": "{}",
    "requires": ["a"], "produces": [], "service": "shop", "family": "f", "status": "active",
    "successor": None, "owner": "", "visibility": "public", "scopes": [], "effects": "read",
    "field": "a", "required": True, "type": "string", "aliases": [], "first": "shop/x",
    "second": "shop/y", "count": 1, "last_seen": "", "trajectory": "t-1", "tool": "shop/x",
    "idx": 0, "ok": True, "request": "r", "source": "", "success": True, "time": None,
    "path": ["shop/x"], "steps": [[0, 0, True]], "frequency": 1, "entry_frequency": 1,
    "calls": 1, "errors": 0,
    "digest": "0", "vector": VECTOR, "bytes": b"0000", "terms": "x y",
    "gains": b"0000", "grams": b"0000", "audience": "public", "tools": 1, "term": "x",
    "evidence": "declared",
    "reviewed_by": "x", "at": "",
    "registered": "", "updated": "", "published": "", "weight": 1,
    "approved_hash": "0", "approved_by": "x", "approved_at": "", "pruned": True,
    "links": "0", "output": "a", "input": "b", "map": "0", "verb": "list", "resource": "shop/order",
    "role": "", "many": True, "fields": ["a"], "producer": "shop/x", "consumer": "shop/y",
    "effects_reason": "", "effects_by": None, "effects_at": None, "source_effects": "read",
    "source_effects_reason": "", "kind": "b", "before": "read", "after": "write",
    "reason": "", "by": "x", "etag": "0", "access": None,
}  # fmt: skip
PARAMS: dict[str, Any] = {
    "fields": ["order_id", "none"], "field": "order_id", "keys": ["order", "none"],
    "ids": ["shop/sub/tool", "t-1", "none"], "id": "shop/order", "tool": "order", "version": "1",
    "service": "shop", "family": None, "status": "active", "operation": "op", "kind": "k",
    "after": "", "revision": 1, "at": graphs.MOMENT, "result": "{}", "before": 0,
    "encoder": "e", "number": 1,
    "name": "n", "count": 5, "team": "a", "scopes": ["x"], "read_only": True,
    "first": "order_id", "second": "id", "by": "x",
    "sources": [{"id": "shop/order", "weight": 16_666}], "given": ["id"],
    "same": [{"field": "order_id", "stands": "id"}],
    "per_source": 4, "limit": 99, "explored": 99, "window": 9, "words": "terms:[word TO word]^1.0",
    "vectors": [VECTOR], "vector": VECTOR, "terms": ["word"],
    "inputs": ["order_id"], "owner": "team a", "resource": "order", "source": "log",
    "menu": "m", "request": "r", "tools": ["shop/x"], "content": "{}", "expires": graphs.MOMENT,
    "may": ["read"], "least": 2, "map": "1 names", "label": "Tool", "absent": {"nosuch": None},
    "pairs": [[0, 0, 1, ""]],
}  # fmt: skip


def sample(query: Query) -> dict[str, Any]:
    row = {name: ROW[name] for name in set(re.findall(r"\brow\.(\w+)", query.text))}
    return {name: [row] if name == "rows" else PARAMS[name] for name in query.params}


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    with Registry.open(Settings(str(tmp_path_factory.mktemp("embedded")))) as registry:
        graphs.fill(registry, graphs.random_library(1))
        yield registry


@pytest.fixture(scope="module", params=["neo4j_server", "neo4j_calendar"])
def server(request: pytest.FixtureRequest) -> Any:
    """The one that all tests share, and the newest that there is."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def remote(server: Any, empty: Callable[[Any], None]) -> Iterator[Registry]:
    """A random library on Neo4j, with every label, type and property that there is."""
    empty(server)
    with Registry.open(server.settings()) as registry:
        graphs.fill(registry, graphs.random_library(1))
        with server.driver() as driver:
            driver.execute_query(
                "MATCH (a:Field), (b:Field) WITH a, b LIMIT 1 "
                "CREATE (a)-[:SAME_AS {reviewed_by: 'x', at: 'y'}]->(b) "
                "CREATE (a)-[:IS_A {reviewed_by: 'x', at: 'y'}]->(b)"
            )
            driver.execute_query(  # of names that only traces of values and documents bring about
                "MATCH (a:Tool), (b:Tool) WITH a, b LIMIT 1 CREATE (a)-[h:HANDS]->(b) DELETE h"
            )
            driver.execute_query("CREATE (w:Term)-[h:HELD_BY]->(a:Audience) DELETE w, h, a")
            driver.execute_query(
                "MATCH (n) WHERE n:Tool OR n:Trajectory "
                "SET n.vector = $v, n.vector_of = 'x', n.terms = 'a word'",
                v=VECTOR,
            )
            # The server warns of names it never saw; it has seen all that are in the dictionary.
            properties = {name: 0 for known in schema.LABELS.values() for name in known}
            properties |= {name: 0 for *_, known in schema.RELATIONSHIPS.values() for name in known}
            driver.execute_query("CREATE (n:Seen) SET n = $p DELETE n", p=properties)
            for label in staging.LABELS:
                driver.execute_query(f"CREATE (n:Incoming{label}) DELETE n")
        yield registry


@pytest.fixture(scope="module")
def talkative(remote: Registry, server: Any) -> Iterator[neo4j.Driver]:
    """A driver that hears every notification; spm's own is told to keep quiet."""
    with server.driver() as driver:
        yield driver


@pytest.fixture(scope="module")
def languages(talkative: neo4j.Driver) -> list[str]:
    """Each version of Cypher that this server knows, as a query would begin."""
    asked = "CALL dbms.components() YIELD name, versions WHERE name = 'Cypher' RETURN versions"
    answers = talkative.execute_query(asked).records
    versions = answers[0]["versions"] if answers else ["5"]  # 5.26 does not say what it knows
    return [f"CYPHER {version} " for version in versions]


def notifications(query: Query, summary: neo4j.ResultSummary) -> list[str]:
    ignored = NO_NOTIFICATION | (SCHEMA_NOTES if query.access == "schema" else set())
    return [
        f"{status.gql_status}: {status.status_description}"
        for status in summary.gql_status_objects
        if status.gql_status not in ignored
    ]


def access(query: Query) -> str:
    return neo4j.READ_ACCESS if query.access == "read" else neo4j.WRITE_ACCESS


def test_the_newest_server_takes_queries_for_cypher_25(neo4j_calendar: Any) -> None:
    with neo4j_calendar.driver() as driver:
        asked: Any = "SHOW HOME DATABASE YIELD defaultLanguage"
        assert driver.execute_query(asked).records[0].value() == "CYPHER 25"
        asked = "CALL dbms.components() YIELD versions UNWIND versions AS v RETURN collect(v) AS v"
        assert {"5", "25"} <= set(driver.execute_query(asked).records[0]["v"])


def test_explaining_yields_no_notification(talkative: neo4j.Driver, languages: list[str]) -> None:
    for language, query in itertools.product(languages, QUERIES):
        with talkative.session(default_access_mode=access(query)) as session:
            text: Any = f"{language}EXPLAIN {query.text}"
            found = notifications(query, session.run(text, sample(query)).consume())
        if language == "CYPHER 25 " and NEAREST in query.text:
            assert [text for text in found if not text.endswith(DEPRECATED)] == [], query.name
        else:
            assert found == [], (language, query.name)


def test_running_yields_no_notification_and_the_declared_columns(talkative: neo4j.Driver) -> None:
    for query in QUERIES:
        columns, summary = run_once(query, talkative)
        found = notifications(query, summary)
        assert [text for text in found if not text.endswith(DEPRECATED)] == [], query.name
        assert columns == query.returns, query.name


def run_once(query: Query, talkative: neo4j.Driver) -> tuple[tuple[str, ...], neo4j.ResultSummary]:
    """The columns of an answer and its notifications; nothing is kept but schema."""
    text: Any = query.text
    with talkative.session(default_access_mode=access(query)) as session:
        if query.access == "schema":
            result = session.run(text)
            columns, summary = result.keys(), result.consume()
        else:
            tx = session.begin_transaction()
            result = tx.run(text, sample(query))
            columns, summary = result.keys(), result.consume()
            tx.rollback()
    return tuple(columns), summary


def test_the_embedded_engine_gives_the_declared_columns(embedded: Registry) -> None:
    store: Any = embedded.store
    store.read("state/registry")
    for query in SHARED:
        tx = store._graph.begin()
        try:
            found = tx.cypher(query.text, params=sample(query))
            assert tuple(found.columns) == query.returns, query.name
        finally:
            tx.rollback()


def test_what_only_neo4j_runs_is_vectors_terms_their_indexes_and_staging() -> None:
    alone = {query.name for query in QUERIES if query.engines == ("neo4j",)}
    assert {name.partition("/")[0] for name in alone} == {
        "vectors", "search", "schema", "state", "staging",
    }  # fmt: skip
    assert all(
        name.startswith(("vectors/", "search/", "staging/"))
        or name.endswith(("_vector", "_text"))
        or name == "state/stamp"
        for name in alone
    )


# -- what no query file may do ----------------------------------------------------------------


def lost_updates(text: str) -> list[str]:
    """Properties set from a value that was read before the node was locked.

    `SET c.n = c.n + 1` takes the lock first. `WITH c, c.n AS x SET c.n = x + 1` lost 289 of 400
    increments of four threads, without an error.
    """
    found = []
    for clause in re.finditer(r"\bSET\b(.*?)(?=\b(?:ON|SET|WITH|MERGE|RETURN)\b|\Z)", text, re.S):
        earlier = re.findall(r"\b(?!row\b)\w+\.\w+ AS (\w+)", text[: clause.start()])
        for place, value in re.findall(r"(\w+\.\w+) = (.*?)(?=,\s*\w+\.\w+ =|\Z)", clause[1], re.S):
            nodes = set(re.findall(r"(?<![\w.$])(?!row\b)(\w+)\.\w+", value))
            names = set(re.findall(r"(?<![\w.$])\w+", value))
            if nodes - {place.partition(".")[0]} or names & set(earlier):
                found.append(place)
    return found


def loose_merges(text: str, constrained: set[tuple[str, str]]) -> list[str]:
    """MERGE on nodes without a constraint: two writers at once create two nodes."""
    found = []
    for pattern in re.findall(r"\bMERGE\s+(.+)", text):
        node = re.fullmatch(r"\(\w+:(\w+) \{(\w+): [^,}]+\}\)", pattern.strip())
        edge = re.fullmatch(r"\(\w+\)-\[\w*:\w+(?: \{[\w., :]+\})?\]->\(\w+\)", pattern.strip())
        if not edge and not (node and node.groups() in constrained):
            found.append(pattern)
    return found


def constraints() -> set[tuple[str, str]]:
    found = re.compile(r"CREATE CONSTRAINT \w+ IF NOT EXISTS FOR \(\w:(\w+)\) REQUIRE \w\.(\w+) IS")
    known = [q for q in QUERIES if q.name.startswith("schema/")]
    return {m.groups() for q in known if (m := found.match(q.text))}  # type: ignore[misc]


WRITES = [query for query in QUERIES if query.access == "write"]


def test_no_write_sets_what_it_read_before() -> None:
    assert {query.name: found for query in WRITES if (found := lost_updates(query.text))} == {}


def test_every_merge_rests_on_a_constraint() -> None:
    known = constraints()
    assert {q.name: found for q in WRITES if (found := loose_merges(q.text, known))} == {}


def test_the_lints_see_what_they_are_for() -> None:
    assert lost_updates("MATCH (c:C) WITH c, c.n AS x SET c.n = x + 1") == ["c.n"]
    assert lost_updates("MATCH (c:C), (d:D) SET c.m = 1, c.n = d.n + 1") == ["c.n"]
    assert lost_updates("MATCH (c:C) SET c.n = c.n + row.n, c.m = $m") == []
    assert len(constraints()) == 16
    assert loose_merges("MERGE (t:Tool {name: row.name})", constraints())
    assert loose_merges("MERGE (t:Tool {id: row.id, name: row.name})", constraints())
    assert loose_merges("MERGE (a:Tool {id: 1})-[:R]->(b:Tool {id: 2})", constraints())
    assert not loose_merges("MERGE (t:Tool {id: row.id})\nSET t.x = 1", constraints())
    assert not loose_merges("MERGE (a)-[e:STEP {idx: row.idx}]->(b)", constraints())


def test_searches_find_what_was_set(remote: Registry) -> None:
    store = remote.store
    store.read("vectors/await")
    for name in ("tools_by_vector", "tools_by_words", "trajectories_by_vector"):
        query = load(f"search/{name}")
        asked = {param: PARAMS[param] for param in query.params}
        (row,) = store.read(query.name, **{**asked, **EVERYTHING.params()})
        assert row["found"], name
        assert row["more"] is False, name


def test_query_files_are_what_the_package_ships() -> None:
    folder = Path(__file__).resolve().parents[3] / "cypher"
    topics = {query.name.partition("/")[0] for query in QUERIES}
    assert topics == {topic.stem for topic in folder.glob("*.cypher")}
