"""Figures over trajectories, letting go of old ones, and letting evidence fade."""

import hashlib
from datetime import UTC, datetime, timedelta, timezone

import pytest

from spm.registry.exchange import export_registry
from spm.registry.traces import statistics as module
from spm.registry.traces.statistics import decay, prune, statistics

OLD, NEW = "2026-01-01T00:00:00Z", "2026-03-02T00:00:00Z"
MARCH = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def abc(registry, manifest):
    registry.register(manifest("s", a=([], ["x"]), b=(["x"], []), c=([], []), d=([], [])))
    return registry


@pytest.fixture
def used(abc, trace):
    abc.import_traces(
        [
            trace("a", "b", trace_id="old", time=OLD, source="log"),
            trace("a", "b", "c", trace_id="new", time=NEW, source="log"),
            trace("b!", "b!", "c", trace_id="failed", success=False, time=NEW),
            trace("a", trace_id="undated"),
        ]
    )
    return abc


def weights(registry):
    rows = registry.cypher(
        "MATCH (a:Tool)-[e:PRECEDES]->(b:Tool) "
        "RETURN a.name + b.name AS pair, e.count AS count, e.weight AS weight"
    ).rows
    return {row["pair"]: (row["count"], row["weight"]) for row in rows}


def digest(registry, folder):
    """Of the whole graph, but for revision and operations."""
    export_registry(registry.store, folder / "one.jsonl", replace=True)
    lines = (folder / "one.jsonl").read_bytes().splitlines()
    kept = [line for line in lines if b'"Operation"' not in line and b"revision" not in line]
    assert len(kept) > 5
    return hashlib.sha256(b"\n".join(kept)).hexdigest()


# -- figures -----------------------------------------------------------------------------------


def test_figures_are_counted(used):
    found = statistics(used.store)
    assert (found.trajectories, found.successful) == (4, 3)
    assert (found.first, found.last) == (OLD, NEW)
    assert found.sources == [
        {"source": "", "trajectories": 2},
        {"source": "log", "trajectories": 2},
    ]
    assert found.unused == ["s/d"]
    (failing,) = found.errors
    assert (failing["id"], failing["calls"], failing["errors"]) == ("s/b", 4, 2)
    assert failing["rate"] == 0.5
    assert [(r["first"], r["second"], r["count"]) for r in found.travelled] == [
        ("s/a", "s/b", 2),
        ("s/b", "s/c", 1),
    ]


def test_lists_are_as_long_as_asked(used):
    found = statistics(used.store, top=1)
    assert len(found.travelled) == len(found.errors) == 1
    assert found.travelled[0]["count"] == 2


def test_an_empty_registry_has_figures_too(registry):
    found = statistics(registry.store)
    assert (found.trajectories, found.successful, found.first) == (0, 0, None)
    assert (found.travelled, found.unused) == ([], [])


# -- pruning -----------------------------------------------------------------------------------


def test_pruning_keeps_every_count(used):
    before = weights(used), [used.show(n).tool for n in "abc"], used.saved("most_travelled")
    assert prune(used.store, MARCH) == 1
    assert before == (
        weights(used),
        [used.show(n).tool for n in "abc"],
        used.saved("most_travelled"),
    )
    found = statistics(used.store)
    assert (found.trajectories, found.successful) == (4, 3)


def test_pruned_trajectories_keep_nothing_but_their_id_and_figures(abc, trace):
    secret = "Tell Ann of her 4711 Euros"
    abc.import_traces([trace("a", "b", trace_id="old", time=OLD, request=secret)])
    prune(abc.store, MARCH)
    rows = abc.cypher("MATCH (j:Trajectory) RETURN j.id AS id, j.request AS r, j.path AS p").rows
    assert rows == [{"id": "old", "r": "", "p": []}]
    assert abc.cypher("MATCH (:Trajectory)-[s:STEP]->() RETURN count(s) AS n").rows == [{"n": 0}]


def test_pruning_spares_the_day_itself_and_what_has_no_date(used):
    assert prune(used.store, datetime(2026, 1, 1, tzinfo=UTC)) == 0
    assert prune(used.store, datetime(2100, 1, 1, tzinfo=UTC)) == 3
    kept = used.cypher("MATCH (j:Trajectory) WHERE j.pruned IS NULL RETURN j.id AS id").rows
    assert kept == [{"id": "undated"}]


def test_the_moment_may_be_in_another_zone(used):
    east = timezone(timedelta(hours=2))
    assert prune(used.store, datetime(2026, 1, 1, 1, tzinfo=east)) == 0
    assert prune(used.store, datetime(2026, 1, 1, 3, tzinfo=east)) == 1


def test_pruning_again_changes_nothing(used):
    prune(used.store, MARCH)
    revision = used.status()["revision"]
    assert prune(used.store, MARCH) == 0
    assert used.status()["revision"] == revision


def test_pruning_goes_in_batches(abc, trace, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 3)
    abc.import_traces([trace("a", trace_id=str(i), time=OLD) for i in range(7)])
    revision = abc.status()["revision"]
    assert prune(abc.store, MARCH) == 7
    assert abc.status()["revision"] == revision + 3


def test_what_was_pruned_is_still_known_to_an_import(abc, trace, tmp_path):
    traces = [
        trace("a", "b", trace_id="old", time=OLD),
        trace("a", "b", time=OLD, source="without an id"),
        trace("a", "b", trace_id="new", time=NEW),
    ]
    abc.import_traces(traces)
    whole = digest(abc, tmp_path)
    assert prune(abc.store, MARCH) == 2
    before = digest(abc, tmp_path)
    assert before != whole
    again = abc.import_traces(traces)
    assert (again.imported, again.known) == (0, 3)
    assert digest(abc, tmp_path) == before


def test_a_menu_after_pruning_remembers_only_the_rest(used, encoder):
    used.encode(encoder)
    assert used.menu("do it").traces == 3
    prune(used.store, datetime(2100, 1, 1, tzinfo=UTC))
    assert used.menu("do it").traces == 1
    assert used.encoded()


# -- decay -------------------------------------------------------------------------------------


def test_a_transition_weighs_half_after_each_half_life(used):
    assert weights(used) == {"ab": (2, None), "bc": (1, None)}
    at = MARCH + timedelta(days=30)
    assert decay(used.store, timedelta(days=30), at) == 2
    assert weights(used) == {"ab": (2, 1.0), "bc": (1, 0.5)}
    decay(used.store, timedelta(days=10), at)
    assert weights(used) == {"ab": (2, 0.25), "bc": (1, 0.125)}


def test_decaying_twice_is_decaying_once(used):
    at = MARCH + timedelta(days=45)
    for _ in range(3):
        decay(used.store, timedelta(days=30), at)
        once = weights(used)
        assert once["ab"][1] == pytest.approx(2 * 0.5**1.5, abs=1e-6)


def test_nothing_is_younger_than_now(used):
    decay(used.store, timedelta(days=1), MARCH - timedelta(days=20))
    assert weights(used)["ab"] == (2, 2.0)


def test_undated_evidence_does_not_fade(abc, trace):
    abc.import_traces([trace("a", "b")])
    decay(abc.store, timedelta(days=1), MARCH)
    assert weights(abc) == {"ab": (1, 1.0)}


def test_an_import_after_a_decay_adds_to_the_weight(used, trace):
    decay(used.store, timedelta(days=30), MARCH + timedelta(days=30))
    later = "2026-04-01T00:00:00Z"
    used.import_traces([trace("a", "b", trace_id=str(i), time=later) for i in range(2)])
    assert weights(used)["ab"] == (4, 3.0)
    assert used.saved("most_travelled").rows[0]["last_seen"] == later


def test_a_transition_that_is_new_after_a_decay_weighs_its_count(used, trace):
    decay(used.store, timedelta(days=30), MARCH + timedelta(days=300))
    used.import_traces([trace("a", "d", trace_id="d")])
    rows = used.store.read("library/precedes")
    weight = {row["second"]: row["count"] for row in rows if row["first"] == "s/a"}
    assert weight["s/d"] == 1
    assert weight["s/b"] < 0.1


def test_nothing_to_weigh_writes_nothing(abc):
    revision = abc.status()["revision"]
    assert decay(abc.store, timedelta(days=1), MARCH) == 0
    assert abc.status()["revision"] == revision


def test_what_is_imported_while_a_decay_begins_is_weighed_too(used, trace, monkeypatch):
    write = used.store.write

    def late(kind, work, operation=None):
        monkeypatch.undo()
        used.import_traces([trace("a", "b", trace_id="meanwhile", time=NEW)])
        return write(kind, work, operation)

    monkeypatch.setattr(used.store, "write", late)
    decay(used.store, timedelta(days=30), MARCH)
    assert weights(used)["ab"] == (3, 3.0)
