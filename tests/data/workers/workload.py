"""Numbered operations on a store, and what the store must hold after the first k of them.

Operation n is the same in every process and every run, and they are done strictly in order. So a
store is right when its whole content equals `expected(k)` for one k, and k follows from what was
acknowledged: nothing lost, nothing half there.
"""

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spm.registry.catalog.registration import register
from spm.registry.catalog.tools import remove
from spm.registry.models import Manifest, Trace
from spm.registry.store import migrations
from spm.registry.store.embedded_store import EmbeddedStore
from spm.registry.store.journal import Journal
from spm.registry.traces.importer import import_traces

KINDS = ("register", "import", "change", "remove")
SECRET = "hunter2-5ecret"
QUERIES = {
    "registry": "MATCH (r:Registry) RETURN r.revision, r.schema, r.encoder",
    "tools": "MATCH (t:Tool) RETURN t.id, t.description, t.version, t.frequency, "
    "t.entry_frequency, t.calls, t.errors ORDER BY t.id",
    "versions": "MATCH (t:Tool)-[:HAS_VERSION]->(v:ToolVersion) RETURN v.id ORDER BY v.id",
    "all_versions": "MATCH (v:ToolVersion) RETURN v.id ORDER BY v.id",
    "services": "MATCH (s:Service) RETURN s.name ORDER BY s.name",
    "provided": "MATCH (t:Tool)-[:PROVIDED_BY]->(s:Service) RETURN t.id, s.name ORDER BY t.id",
    "requires": "MATCH (t:Tool)-[:REQUIRES]->(f:Field) RETURN t.id, f.name ORDER BY t.id, f.name",
    "produces": "MATCH (t:Tool)-[:PRODUCES]->(f:Field) RETURN t.id, f.name ORDER BY t.id, f.name",
    "fields": "MATCH (f:Field) RETURN f.name ORDER BY f.name",
    "trajectories": "MATCH (j:Trajectory) RETURN j.id, j.request ORDER BY j.id",
    "steps": "MATCH (j:Trajectory)-[s:STEP]->(t:Tool) RETURN j.id, s.idx, t.id, s.ok "
    "ORDER BY j.id, s.idx",
    "precedes": "MATCH (a:Tool)-[e:PRECEDES]->(b:Tool) RETURN a.id, b.id, e.count "
    "ORDER BY a.id, b.id",
    "before": "MATCH (a:Tool)-[e:BEFORE]->(b:Tool) RETURN a.id, b.id, e.count ORDER BY a.id, b.id",
    "operations": "MATCH (o:Operation) RETURN o.kind, o.revision ORDER BY o.revision",
}
# Trajectories of each service: steps, success. "!" is a call that failed.
PATHS = (("t0 t1 t2", True), ("t0 t1! t2", True), ("t1 t2", False))
# What they add: frequency, entry_frequency, calls, errors; then adjacent and ordered pairs.
USAGE = {"t0": (2, 2, 2, 0), "t1": (1, 0, 3, 1), "t2": (2, 0, 3, 0)}
PRECEDES = (("t0", "t1", 1), ("t0", "t2", 1), ("t1", "t2", 1))
BEFORE = (("t0", "t1", 1), ("t0", "t2", 2), ("t1", "t2", 1))

Dump = dict[str, list[list[Any]]]


def manifest(service: str, description: str = "first", size: int = 5) -> Manifest:
    tools = [
        {
            "name": f"t{i}",
            "description": description,
            "inputs": [{"name": f"in_{service}_{i}"}, {"name": "shared"}],
            "outputs": [{"name": f"out_{service}_{i}"}],
        }
        for i in range(size)
    ]
    return Manifest.model_validate({"spm": 1, "service": service, "tools": tools})


def traces(service: str) -> list[Trace]:
    return [
        Trace.model_validate(
            {
                "trace_id": f"{service}-{number}",
                "request": f"request {number} of {service}",
                "success": success,
                "steps": [
                    {
                        "tool": f"{service}/{step.rstrip('!')}",
                        "ok": not step.endswith("!"),
                        "arguments": {"password": SECRET},
                        "result": [SECRET],
                    }
                    for step in path.split()
                ],
            }
        )
        for number, (path, success) in enumerate(PATHS)
    ]


def perform(store: EmbeddedStore, number: int) -> None:
    """Do operation `number`."""
    service, kind = f"s{number // len(KINDS):03}", KINDS[number % len(KINDS)]
    if kind == "register":
        register(store, manifest(service))
    elif kind == "import":
        import_traces(store, traces(service))
    elif kind == "change":
        register(store, manifest(service, "second"))
    else:
        remove(store, f"{service}/t4")


def fill(folder: Path, count: int, *, close: bool = True) -> EmbeddedStore:
    """A store with the first `count` operations; with `close` also its graph file."""
    store = EmbeddedStore(folder)
    for number in range(count):
        perform(store, number)
    if close:
        store.close()
    return store


def dump(store: EmbeddedStore) -> Dump:
    """Everything in the graph that does not depend on the clock."""
    ask: Callable[[str], list[list[Any]]] = lambda text: [  # noqa: E731
        list(row.values()) for row in store.query(text, {}, limit=1_000_000, timeout=60).rows
    ]
    return {name: ask(text) for name, text in QUERIES.items()}


def content(folder: Path) -> Dump:
    """What a new reader sees."""
    return dump(EmbeddedStore(folder))


def revision(found: Dump) -> int:
    return int(found["registry"][0][0]) if found["registry"] else 0


def done(found: Dump) -> int:
    """How many operations there are; the first record of a store is its migration."""
    return max(0, revision(found) - 1)


def expected(count: int) -> Dump:
    """What a store must hold after the first `count` operations (and the migration)."""
    model: Dump = {name: [] for name in QUERIES}
    model["registry"] = [[1 + count, migrations.known("embedded")[-1][0], None]]
    kinds = {"register": "register", "import": "import", "change": "register", "remove": "remove"}
    names = ["migrate", *(kinds[KINDS[n % len(KINDS)]] for n in range(count))]
    model["operations"] = [[name, i + 1] for i, name in enumerate(names)]
    for first in range(0, count, len(KINDS)):
        _service(model, f"s{first // len(KINDS):03}", min(count - first, len(KINDS)))
    if count:
        model["fields"].append(["shared"])
    for name in ("fields", "versions", "all_versions", "requires"):
        model[name].sort()
    return model


def _service(model: Dump, service: str, steps: int) -> None:
    model["services"].append([service])
    for i in range(5):
        _versions(model, f"{service}/t{i}", steps, gone=i == 4 and steps == 4)
        if not (i == 4 and steps == 4):
            _tool(model, service, i, steps)
    if steps >= 2:
        for number, (path, _) in enumerate(PATHS):
            name = f"{service}-{number}"
            model["trajectories"].append([name, f"request {number} of {service}"])
            for idx, step in enumerate(path.split()):
                tool = f"{service}/{step.rstrip('!')}"
                model["steps"].append([name, idx, tool, not step.endswith("!")])
        for key, pairs in (("precedes", PRECEDES), ("before", BEFORE)):
            model[key] += [[f"{service}/{a}", f"{service}/{b}", n] for a, b, n in pairs]


def _versions(model: Dump, tool: str, steps: int, *, gone: bool) -> None:
    published = [[f"{tool}@{label}"] for label in range(1, 3 if steps >= 3 else 2)]
    model["all_versions"] += published
    if not gone:
        model["versions"] += published


def _tool(model: Dump, service: str, i: int, steps: int) -> None:
    tool = f"{service}/t{i}"
    usage = USAGE.get(f"t{i}", (0, 0, 0, 0)) if steps >= 2 else (0, 0, 0, 0)
    changed = ["second", "2"] if steps >= 3 else ["first", "1"]
    model["tools"].append([tool, *changed, *usage])
    model["provided"].append([tool, service])
    model["requires"] += [[tool, f"in_{service}_{i}"], [tool, "shared"]]
    model["produces"].append([tool, f"out_{service}_{i}"])
    model["fields"] += [[f"in_{service}_{i}"], [f"out_{service}_{i}"]]


def verify(folder: Path, low: int, high: int) -> int:
    """The store holds exactly the first k operations, low <= k <= high; returns k.

    Reads with a new store object, compares the journal with the graph and asks the doctor.
    """
    store = EmbeddedStore(folder)
    found = dump(store)
    count = done(found)
    assert low <= count <= high, f"{count} operations, but {low} to {high} were expected"
    if revision(found):
        assert found == expected(count), difference(found, expected(count))
    else:
        assert not any(found.values()), found
    records = sum(1 for _ in Journal(folder / "journal.spm").entries())
    assert records == revision(found), f"{records} records, revision {revision(found)}"
    wrong = [finding for finding in store.check() if not finding.ok]
    assert not wrong, wrong
    return count


def difference(found: Dump, wanted: Dump) -> str:
    return "\n".join(
        f"{name}: there is {[r for r in found[name] if r not in wanted[name]]}, "
        f"missing is {[r for r in wanted[name] if r not in found[name]]}"
        for name in wanted
        if found[name] != wanted[name]
    )


def checksum(folder: Path) -> dict[str, int]:
    """Every file of a folder with a checksum, but for the lock."""
    return {
        path.name: zlib.crc32(path.read_bytes())
        for path in sorted(folder.iterdir())
        if path.name != "lock"
    }
