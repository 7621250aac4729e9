"""Export and import: the same bytes again, and nothing at all from a file that is not whole."""

import gzip
import hashlib
import json
import random
import re
import zlib
from itertools import pairwise
from typing import Any

import pytest

from spm.cypher import load
from spm.registry.catalog.effects_decisions import override
from spm.registry.errors import InputError, StoreWriteFailed
from spm.registry.exchange import export_registry, import_registry, verify
from spm.registry.exchange_records import SECTIONS
from spm.registry.models import Trace
from spm.registry.registry import Registry
from spm.registry.store.embedded_store import EmbeddedStore
from spm.registry.store.schema import DERIVED, LABELS, RELATIONSHIPS

UNICODE = "Größe 住所 😀 \u2028 \\ \" ' </script> {x} $y \u00e9e\u0301"


@pytest.fixture
def full(registry, manifest, trace):
    """Everything that an export must carry."""
    first = manifest(
        "s",
        a={"outputs": [{"name": "Größe"}, {"name": "mail"}], "owner": "", "version": "1.0"},
        b={
            "inputs": [{"name": "mail"}, {"name": "x", "required": False}],
            "family": "f",
            "scopes": ["q", "p"],
        },
        removed=(["mail"], ["only_there"]),
        back=(["email"], ["y"]),
        old={"status": "deprecated", "successor": "a", "description": UNICODE[:11]},
    )
    registry.register(first)
    registry.register(
        manifest("desk", find_user=(["email"], ["user_id"]), get_user=(["user_id"], []))
    )
    registry.register(manifest("😀 z", tool=([], ["y"])))
    registry.register(manifest("ｚ z", tool=([], ["y"])))
    registry.import_traces(
        [
            trace("s/a", "b!", "s/a", "b", request=UNICODE, trace_id="😀"),
            trace("removed", "back", success=False, trace_id="ｚ", source="log"),
            trace("a", "removed", "b", request="x", time="2026-01-01T00:00:00Z"),
        ]
    )
    steps = [{"tool": "a", "result": {"mail": "v-777"}}, {"tool": "b", "arguments": {"x": "v-777"}}]
    registry.import_traces([Trace.model_validate({"request": "x", "steps": steps})])
    override(registry.store, "removed", "destructive", by="Zoë", because=UNICODE)
    registry.remove("removed", force=True)
    registry.remove("back", force=True)
    registry.register(manifest("s", back={"description": "again"}))
    registry.store.write("extra", lambda tx: _extra(tx))
    rows = [
        {"first": "mail", "second": "größe", "reviewed_by": "Zoë", "at": "2026-01-01"},
        {"first": "y", "second": "mail", "reviewed_by": None, "at": None},
    ]
    registry.store.write("review", lambda tx: {"n": len(tx.run("exchange/put_same_as", rows=rows))})
    return registry.store


def _extra(tx):
    """What comes later in the life of a registry: approval, decay, pruning."""
    tx.run("tools/approve", ids=["s/a"], by="Zoë", at="2026-01-01T00:00:00Z")
    rows = [{"first": "s/a", "second": "s/b", "weight": 0.333333}]
    tx.run("traces/weigh", rows=rows)
    tx.run("traces/weigh_flows", rows=[{"output": "mail", "input": "x", "weight": 0.25}])
    fed = {"producer": "s/a", "consumer": "s/b", "fields": ["mail"], "evidence": "reviewed"}
    tx.run("exchange/put_feeds", rows=[{**fed, "weight": 0.9}])
    tx.run("exchange/put_resources", rows=[{"id": "s/mail", "name": "mail", "service": "s"}])
    identity = {"field": "mail", "resource": "s/mail", "role": ""}
    tx.run("exchange/put_identifies", rows=[identity])
    decision = {"field": "mail", "kind": "größe", "reviewed_by": "Zoë", "at": "2026-01-01"}
    tx.run("exchange/put_is_a", rows=[decision])
    tx.run("traces/prune", ids=["ｚ"])
    tx.run("traces/prune_steps", ids=["ｚ"])
    return {"done": True}


@pytest.fixture
def file(full, tmp_path):
    path = tmp_path / "registry.jsonl"
    export_registry(full, path)
    return path


@pytest.fixture
def other(tmp_path):
    opened = EmbeddedStore(tmp_path / "other")
    yield opened
    opened.close()


def lines(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def resigned(path, edit):
    """Change lines and make the last one fit again: what a checksum cannot see."""
    *body, _ = path.read_bytes().split(b"\n")[:-1]
    body = edit([json.loads(line) for line in body])
    raw = b"".join(_dumped(line) for line in body)
    counts = dict.fromkeys(SECTIONS, 0)
    for line in body[1:]:
        if line["record"] in counts:
            counts[line["record"]] += 1
    path.write_bytes(raw + _dumped({"end": counts, "sha256": hashlib.sha256(raw).hexdigest()}))


def _dumped(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


# -- there and back ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["again.jsonl", "again.jsonl.gz"])
def test_an_import_exports_to_the_same_bytes(full, other, tmp_path, name):
    first, second = tmp_path / name, tmp_path / f"2-{name}"
    done = export_registry(full, first)
    assert import_registry(other, first) == done
    export_registry(other, second)
    assert first.read_bytes() == second.read_bytes()


def test_the_file_says_what_it_is_and_what_it_has(full, file):
    found = lines(file)
    assert found[0]["spm-export"] == 1
    assert "not included" in found[0]["vectors"]
    kinds = [line["record"] for line in found[1:-1]]
    assert list(dict.fromkeys(kinds)) == list(SECTIONS)
    assert found[-1]["end"] == {kind: kinds.count(kind) for kind in SECTIONS}
    assert found[-1]["sha256"] == hashlib.sha256(
        b"".join(file.read_bytes().splitlines(keepends=True)[:-1])
    ).hexdigest()  # fmt: skip
    assert b"vector_of" not in file.read_bytes()


def test_everything_is_carried(full, file, other):
    import_registry(other, file)
    there, back = Registry(full), Registry(other)
    assert back.status() == {**there.status(), "store": other.location}
    for name in ("s/a", "s/b", "s/back", "s/old", "😀 z/tool"):
        assert back.show(name) == there.show(name)
    for row in lines(file):
        if row.get("record") == "versions" and row["tool_id"] == "s/removed":
            break
    else:
        pytest.fail("the version of a removed tool is missing")
    linked = [r["version"] for r in lines(file) if r.get("record") == "has_version"]
    assert "s/removed@1" not in linked
    assert "s/back@1" not in linked
    assert "s/back@2" in linked
    failed = [r for r in lines(file) if r.get("record") == "steps" and not r["ok"]]
    assert [(r["trajectory"], r["idx"], r["tool"]) for r in failed] == [("😀", 1, "s/b")]
    (flow,) = other.read("exchange/flows")
    assert (flow["output"], flow["input"], flow["count"], flow["weight"]) == ("mail", "x", 1, 0.25)
    assert other.read("fields/same", fields=["mail"]) == full.read("fields/same", fields=["mail"])


def test_what_was_imported_lives_on(file, other, manifest, trace):
    import_registry(other, file)
    registry = Registry(other)
    before = registry.status()["revision"]
    assert registry.register(manifest("s", b={"description": "new"})).changed == ["s/b"]
    registry.import_traces([trace("a", "b", request="later")])
    assert registry.status()["revision"] == before + 2
    assert [v["version"] for v in registry.show("s/b").versions] == ["1", "2"]


def test_an_import_is_still_there_after_the_store_is_opened_again(file, other, tmp_path):
    import_registry(other, file)
    other.close()
    (other.folder / "graph.spm").unlink()  # from the journal alone
    again = EmbeddedStore(other.folder)
    export_registry(again, tmp_path / "again.jsonl")
    again.close()
    assert (tmp_path / "again.jsonl").read_bytes() == file.read_bytes()


def test_an_empty_registry_is_a_file_too(store, other, tmp_path):
    export_registry(store, tmp_path / "empty.jsonl")
    assert sum(import_registry(other, tmp_path / "empty.jsonl").counts.values()) == 0


def test_batches_are_filled_and_progress_is_told(store, other, tmp_path, manifest, monkeypatch):
    monkeypatch.setattr("spm.registry.exchange.BATCH", 2)
    Registry(store).register(manifest("s", **{f"t{i}": (["a"], ["b"]) for i in range(5)}))
    export_registry(store, tmp_path / "f.jsonl")
    heard = []
    import_registry(other, tmp_path / "f.jsonl", lambda done, total: heard.append((done, total)))
    assert heard[-1][0] == heard[-1][1] == len(lines(tmp_path / "f.jsonl")) - 2
    assert all(b[0] - a[0] <= 2 for a, b in pairwise(heard))
    export_registry(other, tmp_path / "g.jsonl")
    assert (tmp_path / "g.jsonl").read_bytes() == (tmp_path / "f.jsonl").read_bytes()


# What a section of the file holds of the graph, under which names.
HOLDS = {
    "services": "Service", "families": "Family", "fields": "Field", "tools": "Tool",
    "versions": "ToolVersion", "trajectories": "Trajectory", "same_as": "SAME_AS",
    "provided_by": "PROVIDED_BY", "in_family": "IN_FAMILY", "requires": "REQUIRES",
    "produces": "PRODUCES", "has_version": "HAS_VERSION", "precedes": "PRECEDES",
    "before": "BEFORE", "steps": "STEP", "flows": "FLOWS", "is_a": "IS_A", "hands": "HANDS",
    "resources": "Resource", "identifies": "IDENTIFIES", "acts_on": "ACTS_ON", "gives": "GIVES",
    "feeds": "FEEDS", "effects_decisions": "EffectsDecision",
}  # fmt: skip


def test_whatever_the_graph_carries_is_in_the_file():
    """Red when somebody adds a property: add it to the section and to its two query files."""
    assert set(HOLDS) == set(SECTIONS)
    # What belongs to one store, and what lives for days or minutes only.
    left_out = {"Registry", "Migration", "Operation", "FrozenMenu", "Approval", "Token"}
    left_out |= {"Term", "Audience", "HELD_BY"}  # counted anew by whoever writes terms
    left_out.add("ACCEPTS")  # a record of `requires` that is not required
    assert {*LABELS, *RELATIONSHIPS} - left_out == set(HOLDS.values())
    for name, what in HOLDS.items():
        section = SECTIONS[name]
        if what in LABELS:
            assert set(section.columns) == set(LABELS[what]) - DERIVED
        else:
            told = {"required"} if name == "requires" else set()
            assert set(section.columns) - set(section.points) == {*RELATIONSHIPS[what][2], *told}
        assert set(load(f"exchange/{name}").returns) == set(section.columns)
        if name == "requires":  # its flag says which of the two types of edge an input is
            assert RELATIONSHIPS["ACCEPTS"] == RELATIONSHIPS["REQUIRES"]
        written = set(re.findall(r"row\.(\w+)", load(f"exchange/put_{name}").text))
        assert written == set(section.columns)


# -- what is refused ---------------------------------------------------------------------------


def refused(other, path, match):
    with pytest.raises(InputError, match=match):
        import_registry(other, path)
    assert not (other.folder / "journal.spm").exists()


def test_a_registry_that_is_not_empty_is_left_alone(full, file):
    before = Registry(full).status()
    with pytest.raises(InputError, match="not empty"):
        import_registry(full, file)
    assert Registry(full).status() == before


def test_a_registry_filled_meanwhile_is_left_alone(file, other, manifest, monkeypatch):
    def verified(path):
        done = verify(path)
        Registry(other).register(manifest("quick", a=([], [])))
        return done

    monkeypatch.setattr("spm.registry.exchange.verify", verified)
    monkeypatch.setattr("spm.registry.exchange._require_empty", _only_in_a_transaction())
    with pytest.raises(InputError, match="not empty"):
        import_registry(other, file)
    assert Registry(other).status()["tools"] == 1


def _only_in_a_transaction():
    from spm.registry.exchange import _require_empty

    asked = []

    def check(read, location):
        asked.append(1)
        if len(asked) > 1:
            _require_empty(read, location)

    return check


def test_every_cut_is_refused(file, other):
    whole = file.read_bytes()
    for size in [*range(0, len(whole) - 1, 211), len(whole) - 2, len(whole) - 1]:
        file.write_bytes(whole[:size])
        refused(other, file, "damaged|no export")


@pytest.mark.parametrize("compressed", [False, True])
def test_every_flipped_bit_is_refused(full, other, tmp_path, compressed):
    path = tmp_path / ("f.gz" if compressed else "f")
    export_registry(full, path)
    whole, rng = path.read_bytes(), random.Random(1)
    # The first ten bytes of gzip are its own head (time, system): no content is in them.
    for place in rng.sample(range(10 if compressed else 0, len(whole)), 300):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        if compressed and unpacked(bytes(damaged)) == unpacked(whole):
            continue  # a bit that fills up the last byte of the stream: no content is in it
        refused(other, path, "damaged|no export|newer")


def unpacked(data: bytes) -> bytes | None:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return None


def test_lines_that_change_places_vanish_or_come_twice_are_refused(file, other):
    whole = file.read_bytes().splitlines(keepends=True)
    for changed in (
        whole[:5] + whole[6:],
        [*whole[:5], whole[6], whole[5], *whole[7:]],
        [*whole[:5], whole[5], *whole[5:]],
        [*whole, whole[-1]],
        [*whole, b"\n"],
    ):
        file.write_bytes(b"".join(changed))
        refused(other, file, "damaged")


EDITS = {
    "not among the tools": lambda rows: [
        r for r in rows if r.get("record") != "tools" or r["id"] != "s/a"
    ],
    "stands twice": lambda rows: [rows[0], rows[1], *rows[1:]],
    "out of order": lambda rows: [rows[0], rows[2], rows[1], *rows[3:]],
    "does not belong here": lambda rows: [*rows, {"record": "services", "name": "late"}],
    "expected the keys": lambda rows: [rows[0], {**rows[1], "more": 1}, *rows[2:]],
    "must be number": lambda rows: [
        {**r, "calls": True} if r.get("record") == "tools" else r for r in rows
    ],
    "must be text": lambda rows: [rows[0], {**rows[1], "name": None}, *rows[2:]],
    "must be list": lambda rows: [
        {**r, "scopes": [1]} if r.get("record") == "tools" else r for r in rows
    ],
    "must be true or false": lambda rows: [
        {**r, "ok": 1} if r.get("record") == "steps" else r for r in rows
    ],
    "does not belong": lambda rows: [rows[0], {"record": "Tool) DETACH DELETE", "name": "x"}],
}


@pytest.mark.parametrize("why", EDITS)
def test_an_edited_file_with_a_fitting_checksum_must_still_make_sense(file, other, why):
    resigned(file, EDITS[why])
    refused(other, file, why)


def test_one_text_of_an_earlier_file_becomes_a_single_part(full, file, other):
    def earlier(values):
        for value in values:
            if value.get("record") == "tools":
                value["document"] = ". ".join(filter(None, value.pop("search_parts")))
        return values

    resigned(file, earlier)
    import_registry(other, file)
    parts = [[row["text"] for row in store.read("vectors/tool_texts")] for store in (full, other)]
    assert parts[1] == [". ".join(filter(None, text.split("\n"))) for text in parts[0]]
    (found,) = other.read("tools/search_parts", ids=["s/b"])
    assert found["search_parts"] == ["b. f. mail, x"]


def test_a_newer_file_is_refused(file, other):
    for change in ({"spm-export": 2}, {"schema": 999}):
        resigned(file, lambda rows, c=change: [{**rows[0], **c}, *rows[1:]])
        refused(other, file, "newer spm")
        resigned(file, lambda rows: [{**rows[0], "spm-export": 1, "schema": 1}, *rows[1:]])


def test_other_files_are_refused(other, tmp_path, file):
    refused(other, tmp_path / "none", "Cannot read")
    refused(other, tmp_path, "Cannot read")
    for content in (b"", b"spm: 1\n", b"{}\n", b'{"spm-export":"1"}\n', gzip.compress(b"hello\n")):
        (tmp_path / "x").write_bytes(content)
        refused(other, tmp_path / "x", "no export of spm")
    resigned(file, lambda rows: [{**rows[0], "revision": None}, *rows[1:]])
    refused(other, file, "revision")


def test_a_file_that_changes_while_it_is_imported_leaves_nothing(file, other, monkeypatch):
    def verified(path):
        done = verify(path)
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        return done

    monkeypatch.setattr("spm.registry.exchange.verify", verified)
    with pytest.raises(InputError, match="damaged"):
        import_registry(other, file)
    assert Registry(other).status()["tools"] == 0


# -- writing the file --------------------------------------------------------------------------


def test_a_file_that_is_there_is_kept_unless_told(full, file):
    whole = file.read_bytes()
    with pytest.raises(InputError, match="--force"):
        export_registry(full, file)
    file.write_text("mine")
    export_registry(full, file, replace=True)
    assert file.read_bytes() == whole


def test_a_place_that_cannot_be_written_is_said(full, tmp_path):
    with pytest.raises(StoreWriteFailed, match="none"):
        export_registry(full, tmp_path / "none" / "f.jsonl")


def test_nothing_is_left_behind_when_the_graph_breaks_the_rules(full, tmp_path):
    full._graph.cypher(
        "MATCH (t:Tool {id: 's/a'}) MATCH (u:Tool {id: 's/b'}) CREATE (t)-[:BEFORE {count: 7}]->(u)"
    )
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(InputError, match="stands twice"):
        export_registry(full, folder / "f.jsonl")
    assert list(folder.iterdir()) == []


class Busy:
    """A store in which somebody writes while it is read without the lock."""

    def __init__(self, store):
        self.store, self.reads, self.locked = store, 0, 0

    def read(self, name, /, **params):
        rows = self.store.read(name, **params)
        if name == "state/registry":
            self.reads += 1
            return [{**rows[0], "revision": self.reads}]
        return [] if name == "tools/names" else rows

    def write(self, kind, work, operation=None):
        self.locked += 1
        return self.store.write(kind, work, operation)


def test_while_others_write_the_export_takes_the_lock_and_leaves_no_trace(full, file, tmp_path):
    busy: Any = Busy(full)
    export_registry(busy, tmp_path / "busy.jsonl")
    assert busy.locked == 1
    assert (tmp_path / "busy.jsonl").read_bytes() == file.read_bytes()
    assert Registry(full).status()["revision"] == lines(file)[0]["revision"]
