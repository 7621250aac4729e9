"""The embedded store: kglite in memory, a journal as the truth, a graph file to start quickly.

This is the only module that knows kglite. Its own files and write-ahead log are not used: it
was measured to acknowledge writes that it loses after an I/O error. Here a write is acknowledged
when its record in the journal is durable; the graph file only saves replaying from the start.
"""

import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import kglite

from spm.cypher import load
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.errors import (
    InputError,
    OutcomeUnknown,
    QueryFailed,
    StoreDamaged,
    StoreError,
)
from spm.registry.search.embedded_search import LocalSearch
from spm.registry.search.results import Look, Probes
from spm.registry.store import checkpoint, disk, migrations, recovery, schema
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
    appoint,
    claim,
    new_operation,
    perform,
    prepare_once,
)
from spm.registry.store.journal import Journal, Position
from spm.registry.store.lock import WriterLock
from spm.registry.store.vector_files import VectorFiles

log = logging.getLogger("spm")
# Past this much unread journal, opening gets slow enough to write the graph file in mid-session.
CHECKPOINT_BYTES = 16_000_000
kglite.set_query_warning_policy("silent")
_ABSENT = re.compile(r"Unknown property '([^'`]+)' on ([^\s.,`]+)")
Found = TypeVar("Found")


class EmbeddedStore:
    """A store in a folder of the user's."""

    engine = "embedded"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.location = str(folder)
        self.prepare: Preparation | None = None
        self.graph_file = folder / "graph.spm"
        self.journal = Journal(folder / "journal.spm")
        self.files = VectorFiles(folder)
        self._search = LocalSearch(self.read, self.files)
        self._lock = WriterLock(folder)
        self._graph: Any = None
        self._position = Position()
        self._saved = Position()
        self._seen: list[tuple[int, int, int] | None] = []

    # -- reading ---------------------------------------------------------------------------

    def read(self, name: str, /, **params: object) -> list[Row]:
        """Run a read query file.

        Raises:
            StoreDamaged: the files do not verify.
        """
        self._load()
        query = load(name)
        return _rows(self._graph, query.text, query.bind(params))

    def query(
        self, text: str, params: Mapping[str, object], *, limit: int, timeout: float
    ) -> Answer:
        """Run an ad-hoc query on a read-only snapshot."""

        def answer(found: Any) -> Answer:
            rows = [{k: schema.plain(v) for k, v in row.items()} for row in found.head(limit + 1)]
            return Answer(list(found.columns), rows[:limit], len(rows) > limit)

        return self._asked(text, params, timeout, answer)

    def explain(
        self, text: str, params: Mapping[str, object], *, profile: bool, timeout: float
    ) -> Answer:
        """The steps of a query; profiled, with the rows and the time of each."""

        def told(found: Any) -> list[Any]:
            return list(found.profile or []) if profile else found.to_list()

        mode = "PROFILE" if profile else "EXPLAIN"
        steps = self._asked(f"{mode} {text}", params, timeout, told)
        if not profile:
            rows = [
                {"operator": s["operation"], "estimated_rows": s["estimated_rows"]} for s in steps
            ]
            return Answer(["operator", "estimated_rows"], rows, False)
        rows = [
            {"operator": s["clause"], "rows": s["rows_out"], "microseconds": s["elapsed_us"]}
            for s in steps
        ]
        return Answer(["operator", "rows", "microseconds"], rows, False)

    def _asked(
        self,
        text: str,
        params: Mapping[str, object],
        timeout: float,
        use: Callable[[Any], Found],
    ) -> Found:
        """Run an ad-hoc query on a snapshot that is thrown away.

        A pattern that names a property which no node has (yet) is an error of kglite; for Neo4j it
        matches nothing. So the snapshot is made to know the property, without giving it to a node.
        """
        self._load()
        absent: list[tuple[str, str]] = []
        while True:
            tx = self._snapshot(absent, int(timeout * 1000))
            try:
                return use(tx.cypher(text, params=dict(params)))
            except kglite.SchemaError as error:
                named = _ABSENT.search(str(error))
                if named is None or (named[1], named[2]) in absent:
                    raise QueryFailed(f"The query could not be run: {error}") from error
                absent.append((named[1], named[2]))
            except (kglite.KgError, OverflowError, TypeError) as error:
                raise QueryFailed(f"The query could not be run: {error}") from error
            finally:
                tx.rollback()

    def _snapshot(self, absent: Sequence[tuple[str, str]], milliseconds: int) -> Any:
        """A transaction that is rolled back in any case, in which labels have these properties."""
        if not absent:
            return self._graph.begin_read(timeout_ms=milliseconds)
        tx = self._graph.begin(timeout_ms=milliseconds)
        query = load("state/know_absent")
        for name, label in absent:
            tx.cypher(query.text, params=query.bind({"label": label, "absent": {name: None}}))
        return tx

    def stamp(self) -> str | None:
        """The end of the journal and the checksum of the vectors; reads no graph.

        A graph that others have overtaken is read again, so that all answers are of one state.
        """
        if self._lock.held and self._graph is not None:
            end: Position | None = self._position
        else:
            if self._graph is not None and (seen := self._look()) != self._seen:
                self._read_files(seen)
            end = self.journal.tail()
        if end is None:
            return None
        return disk.name_of(f"{end.offset} {end.digest} {self.files.stamp()}")

    def _load(self) -> None:
        """Bring the graph in memory to the end of the journal."""
        while self._graph is None:
            seen = self._look()
            try:
                self._read_files(seen)
            except StoreDamaged:
                if self._look() == seen:
                    raise  # or somebody was writing or repairing at this moment: look again

    def _read_files(self, seen: list[tuple[int, int, int] | None]) -> None:
        position, built = Position(), kglite.KnowledgeGraph()
        found = checkpoint.read(self.graph_file)
        if found and not recovery.superseded(self.journal, found[0]):
            position, built = found[0], _from_bytes(found[1], self.graph_file)
        saved = position
        for entry in self.journal.entries(position):
            built, position = apply(built, entry.body, self.folder), entry.after
        # A newer spm may mean other things by the same names: do not even read.
        migrations.schema_of(_rows(built, load("state/registry").text, {}))
        # Only now: a graph that could not be brought to the end must never answer anything.
        self._seen, self._saved, self._position, self._graph = seen, saved, position, built

    def _look(self) -> list[tuple[int, int, int] | None]:
        """What tells whether somebody wrote since this object read the files."""
        return [disk.mark(path) for path in (self.journal.path, self.graph_file)]

    def refresh(self) -> None:
        """Let the next question read what other processes wrote since the last one."""
        if self._graph is not None and not self._lock.held and self._look() != self._seen:
            self._graph = None

    # -- writing ---------------------------------------------------------------------------

    def write(self, kind: str, work: Work, operation: str | None = None) -> dict[str, Any] | None:
        """Do `work` in one transaction, once for each operation id.

        Raises:
            StoreLocked: another process is writing.
            StoreWriteFailed: nothing was kept; the next call starts from what is on disk.
            OutcomeUnknown: it may be there or not; repeat with the same operation id.
        """
        self._open_for_writing()
        self._migrate()
        prepare_once(self, kind)
        return self._commit(kind, work, operation or new_operation())

    def fill(
        self,
        kind: str,
        check: Callable[[Transaction], None],
        batches: Iterable[tuple[str, list[Row]]],
        last: Work,
    ) -> dict[str, Any] | None:
        """Write many rows in one operation."""

        def work(tx: Transaction) -> dict[str, Any] | None:
            check(tx)
            for name, rows in batches:
                tx.run(name, rows=rows)
            return last(tx)

        return self.write(kind, work)

    def _open_for_writing(self) -> None:
        if self._lock.held and self._graph is not None:
            return
        try:
            self._lock.acquire()
            if self._look() != self._seen:
                self._graph = None  # others wrote, or took back what this object had read
            self._load()
            self.journal.settle(self._position)
            disk.sweep(self.folder)
        except BaseException:
            self._fail()
            raise

    def _commit(self, kind: str, work: Work, operation: str) -> dict[str, Any] | None:
        # Fail stop: until all is done there is no graph to trust, whatever interrupts this.
        built, self._graph = self._graph, None
        tx = _Recorder(built.begin())
        try:
            result = perform(tx, kind, work, operation)
            after = self.journal.append(self._position, tx.body(kind, operation))
            tx.commit()
            self._position, self._graph = after, built
        except (Repeated, NothingToDo, InputError) as error:
            tx.rollback()
            self._graph = built
            if isinstance(error, InputError):
                raise
            return error.result if isinstance(error, Repeated) else None
        except BaseException:
            self._fail()
            tx.rollback()
            raise
        if after.offset - self._saved.offset > CHECKPOINT_BYTES:
            self._checkpoint()
        return result

    def _fail(self) -> None:
        self._graph = None
        self._lock.release()

    def release(self) -> None:
        """Let other processes write, without forgetting what was read."""
        if self._lock.held:
            self._seen = self._look()
            self._lock.release()

    def _checkpoint(self) -> None:
        """Refresh the graph file; failing costs time at the next start, never data."""
        try:
            checkpoint.write(self.graph_file, self._position, self._graph.to_bytes())
            self._saved = self._position
        except (StoreError, kglite.KgError) as error:
            log.warning("%s The journal has everything; the next start replays it.", error)

    def close(self) -> None:
        """Refresh the graph file if this object wrote, and let go of the lock."""
        try:
            if self._lock.held and self._graph is not None and self._saved != self._position:
                self._checkpoint()
        finally:
            self._fail()

    # -- schema ----------------------------------------------------------------------------

    def migrate(self) -> list[str]:
        """Apply pending schema files in one operation."""
        self._open_for_writing()
        return self._migrate()

    def _migrate(self) -> list[str]:
        waiting = migrations.pending(self)
        if waiting:
            self._commit("migrate", lambda tx: migrations.apply(tx, waiting), new_operation())
        return [query.name for _, query in waiting]

    # -- vectors ---------------------------------------------------------------------------

    def encoded(self, kind: Kind, ids: Sequence[str] | None = None) -> dict[str, str]:
        """Which text (as a digest) the vector of each node was made of; of all, or of these."""
        found = self.files.encoded(kind)
        return found if ids is None else {node: found[node] for node in ids if node in found}

    def put_vectors(
        self,
        kind: Kind,
        ids: Sequence[str],
        texts: Sequence[str],
        digests: Sequence[str],
        vectors: Vector,
        encoder: str,
    ) -> None:
        """Write the encoder into the graph, then keep its vectors in the side file.

        In this order: vectors of which nobody knows the encoder would be taken for another's. The
        terms need no place: they are made from the texts in the graph when they are asked for.
        """
        del texts
        self.write("encode", lambda tx: {"vectors": len(ids), **claim(tx, encoder)})
        keep = {row["id"] for row in self.read(f"vectors/{kind}_texts")}
        self.files.put(kind, ids, digests, vectors, keep)

    def drop_stale(self, kind: Kind, encoder: str) -> None:
        """Drop the vectors of texts that are gone: removed tools, pruned trajectories."""
        there = {row["id"] for row in self.read(f"vectors/{kind}_texts")}
        if self.encoded(kind).keys() - there:
            _, known = self.files.matrix(kind)
            self.put_vectors(kind, [], [], [], known[:0], encoder)

    def forget_vectors(self, encoder: str) -> None:
        """Drop all vectors, then write the next encoder into the graph.

        In this order: killed in between, there are no vectors, and no encoder that did not make
        them is taken for their maker.
        """
        self._open_for_writing()
        self.files.drop()
        self.write("encode", lambda tx: appoint(tx, encoder))

    def nearest(
        self, kind: Kind, vector: Vector, count: int, caller: Caller = EVERYTHING
    ) -> list[tuple[str, float]]:
        """The nodes nearest to `vector` by cosine that the caller may see."""
        return self._searching().nearest(kind, vector, count, caller)

    def matching(
        self, kind: Kind, terms: Sequence[str], count: int, caller: Caller = EVERYTHING
    ) -> list[tuple[str, float]]:
        """The nodes whose text holds any of the terms and that the caller may see."""
        return self._searching().matching(kind, terms, count, caller)

    def look(
        self, probes: Probes, tools: int, trajectories: int, caller: Caller = EVERYTHING
    ) -> Look:
        """Look a request up."""
        return self._searching().look(probes, tools, trajectories, caller)

    def vectors(self, kind: Kind, ids: Sequence[str]) -> Vector:
        """The vectors of these nodes in this order."""
        return self.files.rows(kind, ids)

    def _searching(self) -> LocalSearch:
        self._load()
        return self._search.at(self._position)

    # -- health ----------------------------------------------------------------------------

    def check(self) -> list[Finding]:
        """Verify every file from its first byte, and the graph against the journal."""
        return recovery.check(self.journal, self.graph_file, self.files, self._rebuild)

    def repair(self, *, accept_loss: bool) -> list[str]:
        """Rebuild what is damaged from what is not.

        Raises:
            StoreDamaged: something acknowledged would be lost and `accept_loss` is false.
        """
        self._lock.acquire()
        self._graph = None
        try:
            return recovery.repair(
                self.journal, self.graph_file, self.files, self._rebuild, accept_loss=accept_loss
            )
        finally:
            self._fail()

    def _rebuild(self, start: bytes | None, entries: Sequence[dict[str, Any]]) -> bytes:
        """Replay operations on a graph given as bytes (or an empty one)."""
        built = _from_bytes(start, self.graph_file) if start else kglite.KnowledgeGraph()
        for body in entries:
            built = apply(built, body, self.folder)
        data: bytes = built.to_bytes()
        return data


class _Recorder:
    """A transaction that writes down the statements which change something."""

    def __init__(self, tx: Any) -> None:
        self._tx = tx
        self._queries: dict[str, str] = {}
        self._statements: list[list[object]] = []

    def run(self, name: str, /, **params: object) -> list[Row]:
        query = load(name)
        rows = _rows(self._tx, query.text, query.bind(params))
        if query.access != "read":
            # The text goes with it: a journal must replay the same under a later spm.
            self._queries[name] = query.text
            self._statements.append([name, params])
        return rows

    def body(self, kind: str, operation: str) -> dict[str, Any]:
        return {
            "kind": kind,
            "operation": operation,
            "queries": self._queries,
            "statements": self._statements,
        }

    def commit(self) -> None:
        try:
            self._tx.commit()
        except kglite.KgError as error:
            raise OutcomeUnknown(
                "The write is in the journal but the engine could not apply it. "
                "Look with: spm doctor"
            ) from error

    def rollback(self) -> None:
        with suppress(kglite.KgError):  # of what was committed or never begun nothing is kept
            self._tx.rollback()


def apply(built: Any, body: dict[str, Any], folder: Path) -> Any:
    """Apply one journal record to a graph and return the graph to go on with."""
    if body["kind"] == "base":
        base = recovery.read_base(folder, body)
        return _from_bytes(base, folder / body["file"])
    tx = built.begin()
    try:
        for name, params in body["statements"]:
            tx.cypher(body["queries"][name], params=params)
        tx.commit()
    except kglite.KgError as error:
        raise StoreDamaged(
            f"Operation {body['operation']!r} of the journal could not be replayed: {error}"
        ) from error
    return built


def _rows(runner: Any, text: str, params: dict[str, object]) -> list[Row]:
    try:
        rows: list[Row] = runner.cypher(text, params=params).to_list()
    except (kglite.KgError, OverflowError, TypeError) as error:
        raise QueryFailed(f"The embedded engine refused a query: {error}") from error
    return rows


def _from_bytes(data: bytes, path: Path) -> Any:
    try:
        return kglite.from_bytes(data)
    except (kglite.KgError, ValueError) as error:
        raise StoreDamaged(
            f"The graph in {str(path)!r} cannot be read: {error}. Mend with: spm doctor --repair"
        ) from error
