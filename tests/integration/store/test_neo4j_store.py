"""The Neo4j store when things go wrong: refusals, lost answers, many writers at once."""

from __future__ import annotations

import gc
import logging
import random
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

import neo4j
import pytest
from neo4j import exceptions

from spm.cypher import names
from spm.registry import doctor
from spm.registry.errors import (
    InputError,
    OutcomeUnknown,
    QueryFailed,
    SchemaIncomplete,
    SchemaTooNew,
    SpmError,
    StoreDenied,
    StoreUnreachable,
)
from spm.registry.models import Trace
from spm.registry.registry import Registry
from spm.registry.settings import Settings, settings
from spm.registry.store import migrations
from spm.registry.store.interface import Transaction, new_operation
from spm.registry.store.neo4j_store import BoltStore, translate
from tests.support import graphs
from tests.support.campaigns import size
from tests.support.proxies import Proxy

pytestmark = pytest.mark.neo4j

SECRET = "geheim-und-lang-genug"
TRIALS = size("cut_commits")


@pytest.fixture
def store(neo4j_empty: Any) -> Iterator[BoltStore]:
    opened = BoltStore(neo4j_empty.settings())
    yield opened
    opened.close()


@pytest.fixture
def located(neo4j_server: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address, with the credentials in the environment, as a user has them."""
    monkeypatch.setenv("NEO4J_USERNAME", neo4j_server.username)
    monkeypatch.setenv("NEO4J_PASSWORD", neo4j_server.password)
    return str(neo4j_server.uri)


def ask(server: Any, text: Any, **params: Any) -> list[dict[str, Any]]:
    with server.driver() as driver:
        return [record.data() for record in driver.execute_query(text, params).records]


class Interrupted(list[dict[str, Any]]):
    """Rows during which somebody presses Ctrl-C: some of them are on the wire."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        yield {"id": "a"}
        raise KeyboardInterrupt


def test_an_interrupt_in_the_middle_of_a_message_stays_one_and_writes_nothing(
    store: BoltStore, neo4j_empty: Any
) -> None:
    store.migrate()
    before = ask(neo4j_empty, COUNT)
    rows = Interrupted([{"id": "a"}, {"id": "b"}])
    with pytest.raises(KeyboardInterrupt):
        store.write("register", lambda tx: {"rows": tx.run("tools/produces", rows=rows)})
    assert ask(neo4j_empty, COUNT) == before
    assert store.read("tools/names") == []  # the next question has a connection of its own


COUNT = "MATCH (n) RETURN count(n) AS nodes"
LEDGER = "MATCH (m:Migration) RETURN m.id AS number, m.name AS name, m.at AS at ORDER BY number"

EARLIER_INPUTS = """
CREATE (t:Tool {id: 's/t'}), (a:Field {name: 'a'}), (b:Field {name: 'b'}),
       (t)-[:REQUIRES {required: true, resource: 'r'}]->(a),
       (t)-[:REQUIRES {required: false, resource: 'r', role: 'x'}]->(b)
"""
INPUTS = """
MATCH (:Tool)-[e:REQUIRES|ACCEPTS]->(f:Field)
RETURN type(e) AS type, f.name AS field, [e.required, e.resource, e.role] AS carries
ORDER BY type
"""


def everything(server: Any) -> Any:
    """The whole graph in a form that can be compared."""
    nodes = "MATCH (n) RETURN labels(n) AS l, properties(n) AS p ORDER BY elementId(n)"
    edges = "MATCH ()-[e]->() RETURN type(e) AS t, properties(e) AS p ORDER BY elementId(e)"
    schema = "SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name"
    return [ask(server, text) for text in (nodes, edges, schema)]


# -- opening ------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def test_wrong_passwords_are_denied(neo4j_server: Any) -> None:
    # Not the real user: after three tries the server makes it wait, and the other tests with it.
    for _ in range(6):
        with pytest.raises(StoreDenied, match="NEO4J_PASSWORD"):
            BoltStore(neo4j_server.settings(neo4j_username="nobody", neo4j_password=SECRET))
    with pytest.raises(StoreDenied):
        BoltStore(neo4j_server.settings(neo4j_password=""))


def test_nobody_there_is_said_soon() -> None:
    begin = time.monotonic()
    with pytest.raises(StoreUnreachable, match="make neo4j"):
        BoltStore(Settings(f"bolt://127.0.0.1:{free_port()}", neo4j_password=SECRET))
    assert time.monotonic() - begin < 60


@pytest.mark.parametrize("scheme", ["bolt", "neo4j", "bolt+s"])
def test_a_silent_port_is_given_up(scheme: str) -> None:
    begin = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"{scheme}://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(StoreUnreachable):
            BoltStore(Settings(address, neo4j_password=SECRET, connect_seconds=1.5))
    assert time.monotonic() - begin < 60


@pytest.mark.parametrize("address", ["http://x", "ftp://127.0.0.1", "mongodb://x:1"])
def test_other_schemes_are_refused(address: str) -> None:
    with pytest.raises(InputError, match="address of Neo4j"):
        settings(address, {})
    with pytest.raises(StoreUnreachable, match="address of Neo4j"):
        BoltStore(Settings(address))


@pytest.mark.parametrize("address", ["neo4j://host:port", "bolt://127.0.0.1:99999", "bolt://[::1"])
def test_addresses_that_are_none_are_refused(address: str) -> None:
    with pytest.raises(StoreUnreachable):
        BoltStore(Settings(address, neo4j_password=SECRET))


def test_an_unknown_database_is_named(neo4j_server: Any) -> None:
    with pytest.raises(StoreUnreachable, match=r"nosuchdatabase.*NEO4J_DATABASE"):
        BoltStore(neo4j_server.settings(neo4j_database="nosuchdatabase"))


def test_the_password_is_in_no_text(neo4j_server: Any) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1]
    tries = [
        neo4j_server.settings(neo4j_username="nobody", neo4j_password=SECRET),
        Settings(f"bolt://127.0.0.1:{free_port()}", neo4j_password=SECRET),
        Settings(f"bolt://127.0.0.1:{port}", neo4j_password=SECRET, connect_seconds=0.5),
        Settings("neo4j://host:port", neo4j_password=SECRET),
        Settings("http://host", neo4j_password=SECRET),
        Settings(f"bolt://neo4j:{SECRET}@127.0.0.1:1"),
        Settings(f"neo4j://neo4j:{SECRET}@127.0.0.1:1"),
    ]
    for chosen in tries:
        if "@" not in chosen.store:
            assert SECRET not in repr(chosen)
        with pytest.raises(SpmError) as refused:
            BoltStore(chosen)
        text = "".join(traceback.format_exception(refused.value))
        assert SECRET not in text + repr(refused.value), chosen
    silent.close()
    with Registry.open(neo4j_server.settings()) as registry:
        shown = repr(registry.store) + repr(registry.status()) + repr(registry.store.check())
        assert neo4j_server.password not in shown


# -- schema -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("neo4j_bare")
def test_migrating_twice_changes_nothing(store: BoltStore, neo4j_server: Any) -> None:
    applied = store.migrate()
    assert applied == list(names("schema"))
    before = everything(neo4j_server)
    assert store.migrate() == []
    assert everything(neo4j_server) == before
    with BoltStore_(neo4j_server) as other:
        assert other.migrate() == []
    assert everything(neo4j_server) == before


@contextmanager
def BoltStore_(server: Any, **more: Any) -> Iterator[BoltStore]:
    opened = BoltStore(server.settings(), **more)
    try:
        yield opened
    finally:
        opened.close()


@pytest.mark.usefixtures("neo4j_bare")
def test_the_ledger_is_complete(store: BoltStore, neo4j_server: Any) -> None:
    store.migrate()
    rows = ask(neo4j_server, LEDGER)
    assert [row["name"] for row in rows] == list(names("schema"))
    assert [row["number"] for row in rows] == list(range(1, migrations.latest() + 1))
    assert all(row["at"] for row in rows)
    assert store.read("state/registry")[0]["schema"] == migrations.latest()


@pytest.mark.usefixtures("neo4j_bare")
def test_optional_inputs_of_an_earlier_schema_are_moved(
    store: BoltStore, neo4j_server: Any
) -> None:
    store.migrate()
    ask(neo4j_server, EARLIER_INPUTS)
    ask(neo4j_server, "MATCH (r:Registry) SET r.schema = 21")
    assert store.migrate()[:2] == ["schema/022_optional_inputs", "schema/023_required_inputs"]
    assert ask(neo4j_server, INPUTS) == [
        {"type": "ACCEPTS", "field": "b", "carries": [None, "r", "x"]},
        {"type": "REQUIRES", "field": "a", "carries": [None, "r", None]},
    ]


@pytest.mark.usefixtures("neo4j_bare")
def test_one_text_of_an_earlier_schema_becomes_a_single_part(
    store: BoltStore, neo4j_server: Any
) -> None:
    store.migrate()
    ask(neo4j_server, "CREATE (:Tool {id: 's/t', document: 'Send a mail. to address'})")
    ask(neo4j_server, "MATCH (r:Registry) SET r.schema = 25")
    said = "Send a mail. to address"
    text = [{"id": "s/t", "text": said, "head": said}]
    assert store.read("vectors/tool_texts") == text
    assert store.migrate() == [
        "schema/026_search_parts",
        "schema/027_term_name",
        "schema/028_audience_id",
    ]
    assert store.read("vectors/tool_texts") == text
    assert ask(neo4j_server, "MATCH (t:Tool) RETURN t.search_parts AS p, t.document AS d") == [
        {"p": ["Send a mail. to address"], "d": None}
    ]


@pytest.mark.parametrize("lost", [["tool_id"], ["field_name", "registry_id"]])
@pytest.mark.usefixtures("neo4j_bare")
def test_a_lost_constraint_is_named_and_mended(
    lost: list[str], store: BoltStore, neo4j_server: Any, located: str
) -> None:
    store.migrate()
    for name in lost:
        ask(neo4j_server, f"DROP CONSTRAINT {name}")
    with pytest.raises(SchemaIncomplete, match="spm doctor --repair") as refused:
        BoltStore(neo4j_server.settings())
    assert refused.value.missing == lost
    report = doctor.examine(located)
    assert not report.ok
    assert lost[0] in next(f.detail for f in report.findings if not f.ok)
    assert doctor.mend(located)
    assert doctor.examine(located).ok
    with BoltStore_(neo4j_server) as again:
        assert len(again.read("state/constraints")) == 16


@pytest.mark.usefixtures("neo4j_bare")
def test_a_newer_schema_is_left_alone(store: BoltStore, neo4j_server: Any, located: str) -> None:
    store.migrate()
    ask(neo4j_server, "MATCH (r:Registry) SET r.schema = 99")
    ask(neo4j_server, "DROP CONSTRAINT tool_id")
    before = everything(neo4j_server)
    with pytest.raises(SchemaTooNew, match=r"schema 99"):
        BoltStore(neo4j_server.settings())
    for action in (doctor.examine, doctor.mend):
        with pytest.raises(SchemaTooNew):
            action(located)
    with pytest.raises(SchemaTooNew):  # opened before the other spm came along
        store.write("register", lambda tx: {"done": True})
    assert everything(neo4j_server) == before


# -- reading ------------------------------------------------------------------------------------


def test_reads_cannot_write_even_without_the_gate(store: BoltStore, neo4j_server: Any) -> None:
    store.migrate()
    before = everything(neo4j_server)
    writes = (
        "CREATE (x:Stray) RETURN x",
        "MATCH (r:Registry) SET r.revision = 0 RETURN r",
        "MATCH (n) DETACH DELETE n",
        "CREATE INDEX stray FOR (t:Tool) ON (t.name)",
        "MATCH (r:Registry) CALL (r) { SET r.x = 1 } RETURN r",
    )
    for text in writes:
        with pytest.raises(QueryFailed):
            store.query(text, {}, limit=10, timeout=60)
    with pytest.raises(QueryFailed):  # a query file that lies about its access
        store.read("state/encoder", encoder="stray")
    assert everything(neo4j_server) == before


def test_a_query_that_takes_too_long_is_stopped(store: BoltStore) -> None:
    begin = time.monotonic()
    text = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b) AS s"
    with pytest.raises(QueryFailed):
        store.query(text, {}, limit=10, timeout=1)
    assert time.monotonic() - begin < 60
    assert store.query("RETURN 1 AS x", {}, limit=1, timeout=60).rows == [{"x": 1}]


def test_connections_are_closed(neo4j_empty: Any) -> None:
    mine = "CALL dbms.listConnections() YIELD userAgent WHERE userAgent = 'spm-registry' "
    with BoltStore_(neo4j_empty) as store, ThreadPoolExecutor(8) as pool:
        store.migrate()
        list(pool.map(lambda _: store.read("state/counts"), range(40)))
        assert ask(neo4j_empty, mine + "RETURN count(*) AS n")[0]["n"] > 0
    for chosen in (neo4j_empty.settings(neo4j_database="nosuch"),):
        with pytest.raises(StoreUnreachable):
            BoltStore(chosen)
    gc.collect()  # warnings are errors: a connection left open would fail here
    deadline = time.monotonic() + 60
    while (left := ask(neo4j_empty, mine + "RETURN count(*) AS n")[0]["n"]) and (
        time.monotonic() < deadline
    ):
        time.sleep(0.1)
    assert left == 0


def families(kind: type[Exception]) -> Iterator[type[Exception]]:
    yield kind
    for child in kind.__subclasses__():
        yield from families(child)


DRIVER_ERRORS = [*families(exceptions.DriverError), *families(exceptions.Neo4jError)]


@pytest.mark.parametrize("kind", DRIVER_ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_of_the_driver_is_translated(kind: type[Exception]) -> None:
    found = translate(kind("it broke"), "bolt://somewhere")
    assert isinstance(found, SpmError)
    assert str(found)
    if issubclass(kind, exceptions.DriverError | exceptions.TransientError):
        assert found.exit_code == 3
    assert isinstance(found, OutcomeUnknown) == (kind is exceptions.IncompleteCommit)


# -- writing once -------------------------------------------------------------------------------


def prepared(store: BoltStore, tools: int = 4) -> list[str]:
    Registry(store).register(graphs.small_manifest("shop", tools))
    return [f"shop/tool_{i}" for i in range(tools)]


def add_one(tool: str) -> Callable[[Transaction], dict[str, Any]]:
    row = {"id": tool, "frequency": 1, "entry_frequency": 1, "calls": 2, "errors": 1}

    def work(tx: Transaction) -> dict[str, Any]:
        tx.run("traces/usage", rows=[row])
        return {"added": tool}

    return work


def test_a_repeated_operation_gives_its_first_answer(store: BoltStore) -> None:
    tool, *_ = prepared(store)
    operation = new_operation()
    first = store.write("count", add_one(tool), operation)
    revision = store.read("state/registry")[0]["revision"]
    assert [store.write("count", add_one(tool), operation) for _ in range(3)] == [first] * 3
    assert first == {"added": tool, "revision": revision}
    assert graphs.total(store, [tool])[tool]["calls"] == 2
    assert store.read("state/registry")[0]["revision"] == revision


def test_work_without_effect_leaves_no_trace(store: BoltStore, neo4j_server: Any) -> None:
    prepared(store)
    before = everything(neo4j_server)
    assert store.write("nothing", lambda tx: None) is None
    with pytest.raises(InputError, match="no"):
        store.write("fails", fail_after_writing)
    assert everything(neo4j_server) == before


def fail_after_writing(tx: Transaction) -> dict[str, Any]:
    add_one("shop/tool_0")(tx)
    raise InputError("no")


@pytest.fixture
def proxy(neo4j_server: Any) -> Iterator[Proxy]:
    opened = Proxy(neo4j_server.uri)
    yield opened
    opened.close()


@pytest.mark.campaign
def test_a_lost_answer_is_never_written_twice(
    neo4j_empty: Any, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda s, sleep=time.sleep: sleep(min(s, 0.3)))
    store = BoltStore(neo4j_empty.settings(proxy.uri))
    tool, *_ = prepared(store)
    modes = ("answer lost", "cut at once", "never sent")
    told = {"returned": 0, "unknown": 0}
    for trial in range(TRIALS):
        # Every other time spm must not repeat by itself, so that the caller is told.
        store.retry_seconds = -1 if trial % 2 else 30
        operation = new_operation()
        work = add_one(tool)
        armed = False

        def cut(tx: Transaction, work: Any = work, mode: str = modes[trial % 3]) -> dict[str, Any]:
            nonlocal armed
            result: dict[str, Any] = work(tx)
            if not armed:
                proxy.mode, armed = mode, True
            return result

        try:
            answer = store.write("count", cut, operation)
            told["returned"] += 1
        except OutcomeUnknown:
            told["unknown"] += 1
            answer = store.write("count", cut, operation)
        assert store.write("count", cut, operation) == answer
        assert graphs.total(store, [tool])[tool]["calls"] == 2 * (trial + 1), modes[trial % 3]
    store.close()
    print(f"\n{proxy.cuts} commits cut: {told}")
    assert proxy.cuts == TRIALS
    assert min(told.values()) > 0
    done = ask(neo4j_empty, "MATCH (o:Operation {kind: 'count'}) RETURN count(o) AS n")
    assert done == [{"n": TRIALS}]


def test_a_cut_line_does_not_show_when_reading(neo4j_empty: Any, proxy: Proxy) -> None:
    store = BoltStore(neo4j_empty.settings(proxy.uri))
    prepared(store)
    expected = store.read("tools/names")
    for _ in range(5):
        proxy.mode = "answer lost"
        proxy.mark = b""  # whatever is sent next: reads are not committed
        assert store.read("tools/names") == expected
    store.close()
    assert proxy.cuts == 5


def test_an_unknown_outcome_stays_unknown_while_nobody_answers(
    neo4j_empty: Any, proxy: Proxy
) -> None:
    store = BoltStore(neo4j_empty.settings(proxy.uri, retry_seconds=2))
    tool, *_ = prepared(store)

    def vanish(tx: Transaction) -> dict[str, Any]:
        proxy.mode = "answer lost"
        proxy._listening.shutdown(socket.SHUT_RDWR)  # no way back either
        return add_one(tool)(tx)

    operation = new_operation()
    with pytest.raises(OutcomeUnknown, match="Repeat"):
        store.write("count", vanish, operation)
    store.close()
    with BoltStore_(neo4j_empty) as direct:
        direct.write("count", add_one(tool), operation)
        assert graphs.total(direct, [tool])[tool]["calls"] == 2


# -- many writers -------------------------------------------------------------------------------


def together(count: int, action: Callable[[int], Any]) -> list[Any]:
    """Run in threads that begin at the same moment; the first error is raised."""
    gate = threading.Barrier(count)

    def run(number: int) -> Any:
        gate.wait(60)
        return action(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_counters_are_exact_under_eight_writers(store: BoltStore) -> None:
    ids = prepared(store, 6)
    rng = random.Random(5)
    batches = [
        [
            Trace.model_validate(
                {"trace_id": f"{w}-{n}", "request": "r", "steps": rng.choices(ids, k=4)}
            )
            for n in range(25)
        ]
        for w in range(8)
    ]
    expected = {tool: {"frequency": 0, "entry_frequency": 0, "calls": 0} for tool in ids}
    for trace in (trace for batch in batches for trace in batch):
        steps = [step.tool for step in trace.steps]
        expected[steps[0]]["entry_frequency"] += 1
        for tool in steps:
            expected[tool]["calls"] += 1
        for tool in set(steps):
            expected[tool]["frequency"] += 1
    registry = Registry(store)

    def work(number: int) -> int:
        return sum(registry.import_traces([trace]).imported for trace in batches[number])

    assert together(8, work) == [25] * 8
    found = graphs.total(store, ids)
    assert {t: {k: v for k, v in c.items() if k != "errors"} for t, c in found.items()} == expected
    adjacent = sum(row["count"] for row in store.read("saved/most_travelled"))
    assert adjacent <= 8 * 25 * 3
    rows = store.query(
        "MATCH (o:Operation) RETURN count(o) AS n, count(DISTINCT o.revision) AS r",
        {}, limit=1, timeout=60,
    ).rows  # fmt: skip
    assert rows[0]["n"] == rows[0]["r"]
    pairs = store.query(
        "MATCH (:Tool)-[e:PRECEDES]->(:Tool) RETURN sum(e.count) AS n", {}, limit=1, timeout=60
    ).rows
    assert pairs == [{"n": 8 * 25 * 3}]


def test_reversed_overlapping_batches_do_not_deadlock(store: BoltStore) -> None:
    ids = prepared(store, 30)

    def work(number: int) -> None:
        order = ids if number % 2 else ids[::-1]
        rows = [{"id": i, "frequency": 1, "entry_frequency": 0, "calls": 1, "errors": 0}
                for i in order]  # fmt: skip

        def add(tx: Transaction) -> dict[str, Any]:
            tx.run("traces/usage", rows=rows)
            return {"n": len(rows)}

        for _ in range(10):
            store.write("count", add)

    together(8, work)
    assert {c["calls"] for c in graphs.total(store, ids).values()} == {80}


@pytest.mark.campaign
@pytest.mark.parametrize("round_", range(size("manifest_races")))
def test_four_writers_of_one_manifest_write_it_once(round_: int, neo4j_bare: Any) -> None:
    """On an empty server, so that they also race for the schema."""
    manifest = graphs.small_manifest("shop", 5)
    stores = [BoltStore(neo4j_bare.settings()) for _ in range(4)]
    try:
        done = together(4, lambda n: Registry(stores[n]).register(manifest))
        counts = stores[0].read("state/counts")[0]
        ledger = ask(neo4j_bare, LEDGER)
    finally:
        for store in stores:
            store.close()
    assert sorted(len(d.added) for d in done if d.revision) == [5]
    assert counts["tools"] == counts["versions"] == 5
    assert counts["services"] == counts["families"] == 1
    assert counts["fields"] == 6
    assert [row["name"] for row in ledger] == list(names("schema"))
    twice = ask(neo4j_bare, "MATCH (n) WITH labels(n) AS l, coalesce(n.id, n.name) AS k, "
                "count(*) AS c WHERE c > 1 RETURN l, k, c")  # fmt: skip
    assert twice == []
    assert ask(neo4j_bare, "MATCH (r:Registry) RETURN r.schema AS s") == [
        {"s": migrations.latest()}
    ]


def test_versions_raced_for_are_numbered_once(store: BoltStore) -> None:
    registry = Registry(store)
    registry.register(graphs.small_manifest("shop", 1))
    for notes in ("abcd", "efgh", "ijkl", "mnop"):

        def publish(number: int, notes: str = notes) -> None:
            registry.register(graphs.small_manifest("shop", 1, notes[number]))

        together(4, publish)
    rows = store.read("tools/published", ids=["shop/tool_0"])
    numbers = [row["number"] for row in rows]
    assert numbers == list(range(1, len(rows) + 1))
    assert len({row["version"] for row in rows}) == len(rows) == 17


def test_the_driver_is_the_supported_one() -> None:
    assert int(neo4j.__version__.partition(".")[0]) in (5, 6)


def routed(server: Any) -> BoltStore:
    return BoltStore(server.settings(server.uri.replace("bolt://", "neo4j://")))


def bookmarks(store: BoltStore) -> set[str]:
    assert store._bookmarks is not None
    return set(store._bookmarks.get_bookmarks())


def test_what_was_written_through_a_router_is_waited_for(neo4j_empty: Any) -> None:
    """One server cannot lag; what can be seen here is that every later read names the write."""
    named = neo4j_empty.uri.replace("neo4j://", "bolt://")
    with closing(BoltStore(neo4j_empty.settings(named))) as direct:
        assert direct._bookmarks is None
    with closing(routed(neo4j_empty)) as store:
        tools = prepared(store)
        written = bookmarks(store)
        assert written
        assert len(store.read("library/tools")) == len(tools)
        prepared(store, 5)
        assert bookmarks(store) != written


def test_a_thread_waits_for_what_another_thread_wrote(
    neo4j_empty: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The threads of `spm serve` have stores of their own: what they tell the server is logged."""
    with closing(routed(neo4j_empty)) as reader, closing(routed(neo4j_empty)) as writer:
        before = bookmarks(reader)
        tools = prepared(writer)
        written = bookmarks(writer)
        assert not written & before
        with caplog.at_level(logging.DEBUG, "neo4j"):
            assert len(reader.read("library/tools")) == len(tools)
            read = said(caplog, "RUN")
            caplog.clear()
            writer.write("k", lambda tx: {"found": len(tx.run("library/tools"))})
            wrote = said(caplog, "BEGIN")
    assert read
    assert all("'mode': 'r'" in line for line in read)
    assert all(name in line for line in read for name in written)
    assert wrote
    assert all("'mode': 'r'" not in line for line in wrote)


def said(caplog: pytest.LogCaptureFixture, message: str) -> list[str]:
    """What the driver sent of this kind of message, as it logs it."""
    return [line for line in caplog.messages if f"C: {message}" in line]


@pytest.mark.usefixtures("neo4j_empty")
def test_plans_name_operators_rows_and_hits(store: BoltStore) -> None:
    registry = Registry(store)
    registry.register(graphs.small_manifest("shop", 3))
    explained = registry.cypher("EXPLAIN MATCH (t:Tool {id: 'shop/tool_0'}) RETURN t.name")
    assert explained.columns == ["operator", "details", "estimated_rows"]
    assert explained.rows[0]["operator"] == "ProduceResults"
    profiled = registry.cypher("PROFILE MATCH (t:Tool) RETURN t.name")
    assert profiled.columns[-2:] == ["rows", "db_hits"]
    assert profiled.rows[0]["rows"] == 3
    assert sum(row["db_hits"] for row in profiled.rows) > 0
