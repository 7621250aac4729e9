"""Check and mend the embedded store: journal, graph file, vectors. Knows no engine.

What is damaged is rebuilt from what is not. When the journal is damaged but the graph file covers
the damage, the graph becomes the base of a new journal and nothing is lost. Damaged files are set
aside, never deleted.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from spm.registry import checkpoint, disk
from spm.registry.errors import StoreDamaged
from spm.registry.journal import Journal, Position, record
from spm.registry.store import Finding
from spm.registry.vectors import VectorFiles

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
    if kept and damage is None and not _on_chain(journal, kept[0]):
        damage = StoreDamaged(f"the journal ends before operation {kept[0].seq}")
    if damage is None:
        if journal.size() > end.offset:
            journal.cut(end)
            done.append("cut off a write that was never acknowledged")
        checkpoint.write(graph_file, end, rebuild(None, bodies))
        done.append(f"rebuilt the graph file from {len(bodies)} operations of the journal")
    else:
        done += _rebase(journal, graph_file, kept, (bodies, end), rebuild, accept_loss, damage)
    if vectors.verify():
        vectors.drop()
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
    lost = "nothing acknowledged is lost"
    if kept and kept[0].seq >= end.seq:
        position, data = kept
        tail, last, tail_damage = _scan(journal, position)
        data = rebuild(data, tail) if tail else data
        sure = tail_damage is None and last.offset == journal.size()
        if not sure and position.offset < journal.size():
            lost = (
                f"{journal.size() - last.offset:,} bytes after operation {last.seq} are unreadable"
            )
    else:
        data, last, sure = rebuild(None, bodies), end, False
        lost = f"{journal.size() - end.offset:,} bytes after operation {end.seq} are unreadable"
    if not lost.startswith("nothing") and not accept_loss:
        raise StoreDamaged(
            f"{damage} But {lost}, and no other file has them. To go on without them: "
            "spm doctor --repair --accept-loss"
        )
    aside = _set_aside(journal.path)
    name = f"base-{hashlib.sha256(data).hexdigest()[:16]}.spm"
    disk.replace(journal.path.parent / name, data)
    body = {
        "kind": "base",
        "operation": name,
        "file": name,
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    line, after = record(Position(), body)
    disk.replace(journal.path, line)
    checkpoint.write(graph_file, after, data)
    return [f"started a new journal from operation {last.seq}; {lost}", f"set aside {aside}"]


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


def _set_aside(path: Path) -> str:
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    if path.exists():
        os.link(path, aside)  # a second name: the journal is there at every moment of a repair
    return str(aside)
