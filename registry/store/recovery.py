"""Check and mend the embedded store: journal, graph file, vectors. Knows no engine.

What is damaged is rebuilt from what is not. When the journal is damaged but the graph file covers
the damage, the graph becomes the base of a new journal and nothing is lost. Damaged files are set
aside, never deleted.
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from spm.registry.errors import StoreDamaged
from spm.registry.store import checkpoint, disk
from spm.registry.store.interface import Finding
from spm.registry.store.journal import Journal, Position, record
from spm.registry.store.vector_files import VectorFiles

Rebuild = Callable[[bytes | None, Sequence[dict[str, Any]]], bytes]


def check(
    journal: Journal, graph_file: Path, vectors: VectorFiles, rebuild: Rebuild
) -> list[Finding]:
    """Verify every file from its first byte."""
    bodies, end, damage = _scan(journal)
    torn = journal.size() - end.offset
    detail = f"{end.seq} operations, {end.offset:,} bytes"
    if torn and not damage:
        detail += f", {torn} bytes of a write that was cut off (never acknowledged)"
    findings = [Finding("journal", damage is None, str(damage) if damage else detail)]
    findings.append(_check_graph(journal, graph_file, end, damage))
    if damage is None:
        try:
            rebuild(None, bodies)
            findings.append(Finding("replay", True, f"{len(bodies)} operations replay"))
        except StoreDamaged as error:
            findings.append(Finding("replay", False, str(error)))
    wrong = vectors.verify()
    findings.append(Finding("vectors", not wrong, "; ".join(wrong) or "checksums match"))
    return findings


def _check_graph(
    journal: Journal, graph_file: Path, end: Position, damage: StoreDamaged | None
) -> Finding:
    try:
        found = checkpoint.read(graph_file)
        if found is None:
            return Finding("graph file", True, "none yet; the journal is replayed")
        position, data = found
        if superseded(journal, position):
            return Finding("graph file", True, "of before a repair; the journal is replayed")
        if damage is None and not _on_chain(journal, position):
            return Finding("graph file", False, "does not belong to this journal")
        behind = end.seq - position.seq
        return Finding(
            "graph file", True, f"{len(data):,} bytes, {max(0, behind)} operations behind"
        )
    except StoreDamaged as error:
        return Finding("graph file", False, str(error))


def repair(
    journal: Journal,
    graph_file: Path,
    vectors: VectorFiles,
    rebuild: Rebuild,
    *,
    accept_loss: bool,
) -> list[str]:
    """Rebuild what is damaged; returns what was done.

    Raises:
        StoreDamaged: acknowledged operations would be lost and `accept_loss` is false.
    """
    done: list[str] = []
    bodies, end, damage = _scan(journal)
    kept = _graph(graph_file)
    if kept and superseded(journal, kept[0]):
        kept = None  # an earlier repair was cut short after it had written the new journal
    if kept and damage is None and not _on_chain(journal, kept[0]):
        damage = StoreDamaged(f"The journal ends before operation {kept[0].seq}.")
    built = b""
    if damage is None:
        try:
            built = rebuild(None, bodies)
        except StoreDamaged as error:  # the base file of an earlier repair
            damage = error
    if damage is None:
        if journal.size() > end.offset:
            journal.settle(end)
            done.append("cut off a write that was never acknowledged")
        done += _put_graph(graph_file, end, built)
        done.append(f"rebuilt the graph file from {len(bodies)} operations of the journal")
    else:
        done += _rebase(journal, graph_file, kept, (bodies, end), rebuild, accept_loss, damage)
    if vectors.verify():
        done += [f"set aside {aside}" for aside in vectors.drop()]
        done.append("dropped damaged vectors; the next encoding makes them again")
    return done


def _rebase(
    journal: Journal,
    graph_file: Path,
    kept: tuple[Position, bytes] | None,
    prefix: tuple[list[dict[str, Any]], Position],
    rebuild: Rebuild,
    accept_loss: bool,
    damage: StoreDamaged,
) -> list[str]:
    """Start a new journal from the best graph there is."""
    bodies, end = prefix
    replaces, data = kept or (Position(), b"")
    tail, last, tail_damage = _scan(journal, replaces)
    if kept and last.seq >= end.seq:
        data = rebuild(data, tail) if tail else data
        sure = tail_damage is None or replaces.offset >= journal.size()
    else:
        readable, data = _longest(rebuild, bodies)
        last, sure = (end if readable == len(bodies) else Position(readable)), False
    lost = "nothing acknowledged is lost"
    if sure and replaces.offset > journal.size():
        lost = "the journal ended before that; whether there was more cannot be told"
    if not sure:
        lost = f"what came after operation {last.seq} is unreadable"
        if not accept_loss:
            raise StoreDamaged(
                f"{damage} But {lost}, and no other file has it. To go on without it: "
                "spm doctor --repair --accept-loss"
            )
    done = [f"started a new journal from operation {last.seq}; {lost}"]
    if journal.path.exists():  # under a second name: it is there at every moment of a repair
        done.append(f"set aside {disk.set_aside(journal.path, keep=True)}")
    sha256 = hashlib.sha256(data).hexdigest()
    name = f"base-{sha256[:16]}.spm"
    disk.replace(journal.path.parent / name, data)
    # Until the graph file is replaced too, the old one must not be taken for a witness.
    body = {
        "kind": "base",
        "operation": name,
        "file": name,
        "sha256": sha256,
        "replaces": replaces.digest,
    }
    line, after = record(Position(), body)
    disk.replace(journal.path, line)
    return done + _put_graph(graph_file, after, data)


def _put_graph(graph_file: Path, position: Position, data: bytes) -> list[str]:
    done = []
    if graph_file.exists() and _graph(graph_file) is None:
        done.append(f"set aside {disk.set_aside(graph_file, keep=True)}")
    checkpoint.write(graph_file, position, data)
    return done


def superseded(journal: Journal, position: Position) -> bool:
    """Whether the journal was begun anew by a repair that did not get to this graph file."""
    try:
        first = next(journal.entries(), None)
    except StoreDamaged:
        return False
    return (
        first is not None
        and first.body["kind"] == "base"
        and first.body.get("replaces") == position.digest
    )


def _longest(rebuild: Rebuild, bodies: list[dict[str, Any]]) -> tuple[int, bytes]:
    """The longest run of operations that replays, and the graph it makes."""
    good, bad, data = 0, len(bodies) + 1, rebuild(None, [])
    middle = len(bodies)  # most often all of them replay
    while bad - good > 1:
        try:
            good, data = middle, rebuild(None, bodies[:middle])
        except StoreDamaged:
            bad = middle
        middle = (good + bad) // 2
    return good, data


def read_base(folder: Path, body: dict[str, Any]) -> bytes:
    """The graph from which a journal starts after a repair.

    Raises:
        StoreDamaged: the file is missing or does not verify.
    """
    try:
        data = (folder / Path(str(body["file"])).name).read_bytes()
    except OSError as error:
        raise StoreDamaged(f"The base file {body['file']!r} cannot be read: {error}") from error
    if hashlib.sha256(data).hexdigest() != body["sha256"]:
        raise StoreDamaged(f"The base file {body['file']!r} does not match its checksum.")
    return data


def _scan(
    journal: Journal, start: Position | None = None
) -> tuple[list[dict[str, Any]], Position, StoreDamaged | None]:
    bodies: list[dict[str, Any]] = []
    end = start or Position()
    try:
        for entry in journal.entries(start):
            bodies.append(entry.body)
            end = entry.after
    except StoreDamaged as error:
        return bodies, end, error
    return bodies, end, None


def _graph(graph_file: Path) -> tuple[Position, bytes] | None:
    try:
        return checkpoint.read(graph_file)
    except StoreDamaged:
        return None


def _on_chain(journal: Journal, position: Position) -> bool:
    """Whether the journal really passes through this position."""
    if position == Position():
        return True
    return any(entry.after == position for entry in journal.entries())
