"""The Neo4j store, through the official driver. The only module that imports it.

Reads run in read access mode, writes in managed transactions with retry. Every write carries an
operation id, so a commit whose answer was lost is repeated without being done twice.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, TypeVar

import neo4j
from neo4j import exceptions as errors

from spm.cypher import Query, load
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.errors import (
    OutcomeUnknown,
    QueryFailed,
    SpmError,
    StoreDenied,
    StoreError,
    StoreUnreachable,
    StoreWriteFailed,
)
from spm.registry.search import audiences
from spm.registry.search.neo4j_search import ServerSearch, forget, put, written
from spm.registry.search.results import NOTHING, Look, Probes
from spm.registry.settings import Settings
from spm.registry.store import disk, migrations, schema, staging
from spm.registry.store.interface import (
    Answer,
    Finding,
    Kind,
    NothingToDo,
    Preparation,
    Repeated,
    Row,
    Transaction,
    Vector,
    Work,
    new_operation,
    perform,
    prepare_once,
)

T = TypeVar("T")
VECTOR_BATCH = 500
# The driver warns on its own logger about things that translate() already says.
logging.getLogger("neo4j").setLevel(logging.ERROR)


class BoltStore:
    """A store on a Neo4j server or cluster."""

    engine = "neo4j"

    def __init__(self, settings: Settings, *, trusting: bool = False) -> None:
        """Connect; a store without its constraints is refused unless the doctor asks."""
        self.location = settings.store
        self.prepare: Preparation | None = None
        self._database = settings.neo4j_database
        self.retry_seconds = settings.retry_seconds
        self._search = ServerSearch(self)
        # In a cluster a read may go to a member that lags; bookmarks let it wait for our writes.
        routed = settings.store.startswith("neo4j")
        self._bookmarks = _bookmarks(settings.store, settings.neo4j_database) if routed else None
        _require_address(settings)
        auth = (settings.neo4j_username, settings.neo4j_password)
        try:
            self._driver = neo4j.GraphDatabase.driver(
                settings.store,
                auth=auth if settings.neo4j_password else None,
                connection_timeout=settings.connect_seconds,
                # Also the limit for a port that takes the connection and then stays silent.
                connection_acquisition_timeout=2 * settings.connect_seconds,
                max_transaction_retry_time=settings.retry_seconds,
                max_connection_pool_size=16,
                liveness_check_timeout=30,
                notifications_min_severity="OFF",
                user_agent="spm-registry",
            )
        except (errors.ConfigurationError, ValueError) as error:
            raise _no_address(self.location, str(error)) from error
        try:
            self._translated(self._driver.verify_connectivity)
            if not trusting:
                migrations.require_constraints(self)
        except BaseException as error:
            self._driver.close()
            if isinstance(error, ValueError):  # what the driver says of a port that is no number
                raise _no_address(self.location, str(error)) from error
            raise

    def close(self) -> None:
        """Close all connections."""
        self._driver.close()

    # -- reading ---------------------------------------------------------------------------

    def read(self, name: str, /, **params: object) -> list[Row]:
        """Run a read query file in read access mode, with retry.

        First outside of a transaction, which takes one round trip instead of three; also because
        SHOW is not allowed in a managed read on a cluster.
        """
        query = load(name)
        bound = query.bind(params)

        def insist() -> list[Row]:
            with self._session(neo4j.READ_ACCESS) as session:
                return session.execute_read(lambda tx: _rows(tx.run(_literal(query.text), bound)))

        try:
            with self._session(neo4j.READ_ACCESS) as session:
                return _rows(session.run(_literal(query.text), bound))
        except (errors.DriverError, errors.Neo4jError) as error:
            if not error.is_retryable() or query.text.startswith("SHOW"):
                raise translate(error, self.location) from error
        try:
            return self._translated(insist)
        except OutcomeUnknown:  # reads are committed too; nothing was changed, so ask again
            return self._translated(insist)

    def stamp(self) -> str | None:
        """The last operation, whose id nobody else made; a database that was wiped has another."""
        found = self.read("state/stamp")
        if not found or not found[0]["operation"]:
            return None
        return disk.name_of(f"{found[0]['operation']} {found[0]['revision']}")

    def query(
        self, text: str, params: Mapping[str, object], *, limit: int, timeout: float
    ) -> Answer:
        """Run an ad-hoc query in a read transaction that is always rolled back."""

        def ask() -> Answer:
            with self._session(neo4j.READ_ACCESS) as session:
                tx = session.begin_transaction(timeout=timeout)
                try:
                    result = tx.run(_literal(text), dict(params))
                    columns = list(result.keys())
                    found = result.fetch(limit + 1)
                    rows = [{k: _plain(r[k]) for k in columns} for r in found[:limit]]
                    return Answer(columns, rows, len(found) > limit)
                finally:
                    tx.rollback()

        return self._translated(ask)

    def explain(
        self, text: str, params: Mapping[str, object], *, profile: bool, timeout: float
    ) -> Answer:
        """The operators of a plan, the last one to run first, each below what it serves."""

        def ask() -> Answer:
            with self._session(neo4j.READ_ACCESS) as session:
                tx = session.begin_transaction(timeout=timeout)
                try:
                    asked = _literal(f"{'PROFILE' if profile else 'EXPLAIN'} {text}")
                    summary = tx.run(asked, dict(params)).consume()
                finally:
                    tx.rollback()
            found = summary.profile if profile else summary.plan
            rows = list(_operators(found)) if found else []
            hidden = () if profile else ("rows", "db_hits")
            columns = ["operator", "details", "estimated_rows", "rows", "db_hits"]
            kept = [column for column in columns if column not in hidden]
            return Answer(kept, [{c: row[c] for c in kept} for row in rows], False)

        return self._translated(ask)

    def refresh(self) -> None:
        """Nothing to do: every question goes to the server."""

    # -- writing ---------------------------------------------------------------------------

    def release(self) -> None:
        """Nothing to do: the server lets writers in one by one."""

    def write(self, kind: str, work: Work, operation: str | None = None) -> dict[str, Any] | None:
        """Do `work` in one transaction, once for each operation id.

        Raises:
            OutcomeUnknown: the server stayed away after the commit was sent.
        """
        self.migrate()
        prepare_once(self, kind)
        return self._commit(kind, work, operation or new_operation())

    def _commit(self, kind: str, work: Work, operation: str) -> dict[str, Any] | None:
        def once(tx: neo4j.ManagedTransaction) -> dict[str, Any]:
            runner = _Runner(tx)
            result = perform(runner, kind, work, operation)
            audiences.recount(runner, runner.touched)
            return result

        deadline = time.monotonic() + self.retry_seconds
        lost: OutcomeUnknown | None = None
        while True:
            try:
                with self._session(neo4j.WRITE_ACCESS) as session:
                    return self._translated(lambda: session.execute_write(once))
            except Repeated as repeated:
                return repeated.result
            except NothingToDo:
                return None
            except StoreError as error:
                # The operation id makes a second try safe: if the first one landed, it is found.
                # Until one try is answered, no later error can say that nothing was written.
                lost = error if isinstance(error, OutcomeUnknown) else lost
                if lost is None:
                    raise
                if time.monotonic() > deadline:
                    raise lost from error.__cause__
                time.sleep(1)

    def fill(
        self,
        kind: str,
        check: Callable[[Transaction], None],
        batches: Iterable[tuple[str, list[Row]]],
        last: Work,
    ) -> dict[str, Any] | None:
        """Write many rows in many transactions; one more makes them visible; see `staging`."""
        self.migrate()
        prepare_once(self, kind)
        filling = staging.Staging(self)

        def show(tx: Transaction) -> dict[str, Any] | None:
            check(tx)
            filling.reveal(tx)
            return last(tx)

        filling.begin()
        try:
            filling.put(batches)
            return self._commit(kind, show, new_operation())
        except SpmError:
            filling.give_up()
            raise

    def transact(self, work: Callable[[Transaction], int]) -> int:
        """Do something in one transaction that may be done twice; nodes that wait are meant."""

        def run() -> int:
            with self._session(neo4j.WRITE_ACCESS) as session:
                return session.execute_write(lambda tx: work(_Runner(tx, staging.staged)))

        try:
            return self._translated(run)
        except OutcomeUnknown:
            return self._translated(run)

    # -- schema ----------------------------------------------------------------------------

    def migrate(self) -> list[str]:
        """Apply pending schema files, each in a transaction of its own as Neo4j demands."""
        waiting = migrations.pending(self)
        for number, query in waiting:
            self.run_schema(query.text)
            self._commit(
                "migrate",
                lambda tx, n=number, q=query: migrations.enter(tx, n, q),  # type: ignore[misc]
                new_operation(),
            )
        return [query.name for _, query in waiting]

    def run_schema(self, text: str) -> None:
        """Run a schema statement with retry: two writers that do so at once can deadlock."""

        def run() -> None:
            with self._session(neo4j.WRITE_ACCESS) as session:
                session.execute_write(lambda tx: tx.run(_literal(text)).consume())

        try:
            self._translated(run)
        except OutcomeUnknown:  # all of them say IF NOT EXISTS, so a second time is harmless
            self._translated(run)

    # -- vectors ---------------------------------------------------------------------------

    def encoded(self, kind: Kind, ids: Sequence[str] | None = None) -> dict[str, str]:
        """Which text (as a digest) the vector of each node was made of; of all, or of these."""
        if ids is None:
            rows = self.read(f"vectors/{kind}_encoded")
        else:
            rows = self.read(f"vectors/{kind}_encoded_of", ids=list(ids))
        return {row["id"]: row["digest"] for row in rows}

    def put_vectors(
        self,
        kind: Kind,
        ids: Sequence[str],
        texts: Sequence[str],
        digests: Sequence[str],
        vectors: Vector,
        encoder: str,
    ) -> None:
        """Put vectors and terms on the nodes, in batches."""
        for start in range(0, len(ids), VECTOR_BATCH):
            part = slice(start, start + VECTOR_BATCH)
            rows = written(kind, ids[part], texts[part], digests[part], vectors[part])
            self.write("encode", lambda tx, r=rows: put(tx, kind, r, encoder))  # type: ignore[misc]
        self.read("vectors/await")

    def drop_stale(self, kind: Kind, encoder: str) -> None:
        """Nothing to do: vectors stand on their nodes, and go with them or with their text."""

    def forget_vectors(self, encoder: str) -> None:
        """Drop all vectors and write down whose come next, in one transaction."""
        self.write("encode", lambda tx: forget(tx, encoder))
        self.read("vectors/await")

    def nearest(
        self, kind: Kind, vector: Vector, count: int, caller: Caller = EVERYTHING
    ) -> list[tuple[str, float]]:
        """The nodes nearest to `vector` by cosine that the caller may see."""
        return self._found(lambda: self._search.nearest(kind, vector, count, caller), [])

    def matching(
        self, kind: Kind, terms: Sequence[str], count: int, caller: Caller = EVERYTHING
    ) -> list[tuple[str, float]]:
        """The nodes whose text holds any of the terms and that the caller may see."""
        return self._found(lambda: self._search.matching(kind, terms, count, caller), [])

    def look(
        self, probes: Probes, tools: int, trajectories: int, caller: Caller = EVERYTHING
    ) -> Look:
        """Look a request up, all of it in one query."""
        return self._found(lambda: self._search.look(probes, tools, trajectories, caller), NOTHING)

    def vectors(self, kind: Kind, ids: Sequence[str]) -> Vector:
        """The vectors of these nodes in this order."""
        return self._search.vectors(kind, ids)

    def _found(self, search: Callable[[], T], nothing: T) -> T:
        try:
            return search()
        except QueryFailed:
            if not migrations.pending(self):
                raise
            return nothing  # a store that nobody has written to has no index yet

    # -- health ----------------------------------------------------------------------------

    def check(self) -> list[Finding]:
        """Look at server, schema and constraints."""
        info = self._translated(self._driver.get_server_info)
        findings = [Finding("server", True, f"{info.agent} at {info.address}")]
        waiting = migrations.pending(self)
        note = f"schema {migrations.latest()}" if not waiting else f"{len(waiting)} files to apply"
        findings.append(Finding("schema", True, note))
        try:
            migrations.require_constraints(self)
            findings.append(Finding("constraints", True, "all there"))
        except SpmError as error:
            findings.append(Finding("constraints", False, str(error)))
        if waiting_nodes := self.read("staging/waiting")[0]["nodes"]:
            said = f"{waiting_nodes:,} nodes of an import that was not finished, or still runs"
            note = f"{said}; nobody sees them. Repeat it, or remove them: spm doctor --repair"
            findings.append(Finding("import", True, note))
        return findings

    def repair(self, *, accept_loss: bool) -> list[str]:
        """Create what is missing of the schema."""
        del accept_loss
        for _, query in migrations.known(self.engine):
            self.run_schema(query.text)
        staging.clear(self)
        return ["restored constraints and indexes", *self.migrate()]

    # -- driver ----------------------------------------------------------------------------

    @contextmanager
    def _session(self, access: str) -> Iterator[neo4j.Session]:
        session = self._driver.session(
            database=self._database, default_access_mode=access, bookmark_manager=self._bookmarks
        )
        try:
            yield session
        except BaseException:
            # Ctrl-C may leave half a message on the connection; what the server says to that must
            # not take the place of what happened. The first try then ends the transaction alone.
            for _ in range(2):
                with suppress(errors.DriverError, errors.Neo4jError):
                    session.close()
            raise
        session.close()

    def _translated(self, action: Callable[[], T]) -> T:
        try:
            return action()
        except (errors.DriverError, errors.Neo4jError) as error:
            raise translate(error, self.location) from error


@cache
def _bookmarks(address: str, database: str | None) -> neo4j.api.BookmarkManager:
    """What this process wrote last: one for all threads, each of which has a store of its own."""
    del address, database  # they tell one database from another
    return neo4j.GraphDatabase.bookmark_manager()


class _Runner:
    """Runs query files in a transaction, and remembers which tools may have a new audience."""

    def __init__(
        self, tx: neo4j.ManagedTransaction, text_of: Callable[[Query], str] = lambda q: q.text
    ) -> None:
        self._tx, self._text_of = tx, text_of
        self.touched: set[str] = set()

    def run(self, name: str, /, **params: Any) -> list[Row]:
        if name in audiences.REMOVING:
            audiences.uncount(self, [params["id"]])
        elif name in audiences.CHANGING:
            self.touched.update(params.get("ids") or (row["id"] for row in params["rows"]))
        query = load(name)
        return _rows(self._tx.run(_literal(self._text_of(query)), query.bind(params)))


def _require_address(settings: Settings) -> None:
    """Refuse addresses that the driver would misread, before it repeats them in a message."""
    if not settings.remote:
        raise _no_address(settings.store, "unknown scheme")
    if "@" in settings.store:
        raise StoreUnreachable(
            "An address of Neo4j carries no user name or password, because addresses are shown "
            "and logged. Set NEO4J_USERNAME and NEO4J_PASSWORD instead."
        )


def _no_address(location: str, reason: str) -> StoreUnreachable:
    return StoreUnreachable(
        f"{location!r} is not an address of Neo4j: {reason.rstrip('.')}. "
        "Write it like neo4j://host:7687 or neo4j+s://host:7687."
    )


def translate(error: Exception, location: str) -> SpmError:
    """Turn an error of the driver into one that says what to do."""
    again = "Repeat the command: an operation is never done twice."
    match error:
        case errors.AuthError():
            return StoreDenied(
                f"{location!r} refused the user name or password. "
                "Set NEO4J_USERNAME and NEO4J_PASSWORD."
            )
        case errors.IncompleteCommit():
            return OutcomeUnknown(
                f"The connection to {location!r} broke while a commit was under way. {again}"
            )
        case errors.ServiceUnavailable() | errors.SessionExpired():
            return StoreUnreachable(
                f"Neo4j does not answer at {location!r}. Is it running? "
                "Start one with: make neo4j, or use the embedded store with --store PATH."
            )
        case errors.ClientError() if (error.code or "").startswith("Neo.ClientError.Database"):
            return StoreUnreachable(f"{location!r}: {error.message} Set NEO4J_DATABASE.")
        case errors.TransientError():
            return StoreWriteFailed(f"{location!r} is too busy: {error.message} {again}")
        case errors.DatabaseError():
            return StoreError(f"{location!r} failed: {error.message} {again}")
        case errors.Neo4jError():
            return QueryFailed(f"The query could not be run: {error.message}")
        case errors.ConfigurationError():
            return StoreUnreachable(f"{location!r} cannot be used: {error}.")
        case errors.TransactionError() | errors.ResultError() | errors.BrokenRecordError():
            return StoreWriteFailed(f"{location!r} gave an unusable answer: {error} {again}")
        case _:
            return StoreError(f"{location!r}: {error} {again}")


def _operators(plan: Mapping[str, Any], depth: int = 0) -> Iterator[Row]:
    known = plan.get("args", {})
    yield {
        "operator": "  " * depth + str(plan["operatorType"]).partition("@")[0],
        "details": known.get("Details", ""),
        "estimated_rows": round(known["EstimatedRows"], 1) if "EstimatedRows" in known else None,
        "rows": plan.get("rows"),
        "db_hits": plan.get("dbHits"),
    }
    for child in plan.get("children", ()):
        yield from _operators(child, depth + 1)


def _rows(result: neo4j.Result) -> list[Row]:
    # Not data(): it looks into every number of every vector, which takes twice as long as the rest.
    columns = result.keys()
    return [dict(zip(columns, record, strict=True)) for record in result]


def _literal(text: str) -> Any:
    # The driver asks for a LiteralString; texts are query files, or passed `read_only_check`.
    return text


def _plain(value: Any) -> Any:
    """Bring nodes, relationships and paths into the form that both engines answer."""
    match value:
        case neo4j.graph.Node():
            return schema.node(list(value.labels), dict(value))
        case neo4j.graph.Relationship():
            return schema.relationship(value.type, dict(value))
        case neo4j.graph.Path():
            ends = [
                (at, at + 1) if edge.start_node == value.nodes[at] else (at + 1, at)
                for at, edge in enumerate(value.relationships)
            ]
            nodes = [_plain(node) for node in value.nodes]
            return schema.path(nodes, [_plain(edge) for edge in value.relationships], ends)
        case list():
            return [_plain(item) for item in value]
        case dict():  # the server sends keys in any order, the other engine sorts them
            return {key: _plain(value[key]) for key in sorted(value)}
        case _:
            return value.iso_format() if hasattr(value, "iso_format") else value
