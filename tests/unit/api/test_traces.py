"""Traces from files and from Python."""

import json
from datetime import datetime, timedelta

import pytest

from spm.registry.errors import TraceError

SEEN = {"request": "Cancel order 7", "steps": ["lookup_order", "cancel_order"], "trace_id": "t-7"}


def test_traces_come_from_a_file_or_from_python(shop_registry, tmp_path, trace):
    file = tmp_path / "traces.jsonl"
    file.write_text(json.dumps(SEEN) + "\n")
    heard = []
    first = shop_registry.import_traces(file, progress=lambda done, total: heard.append(done))
    assert (first.imported, heard) == (1, [1])
    assert shop_registry.import_traces([SEEN]).known == 1
    more = trace("lookup_order", request="Look at order 8")
    assert shop_registry.import_traces(iter([more, SEEN])).imported == 1


def test_a_trace_that_is_not_valid_is_named(shop_registry):
    with pytest.raises(TraceError, match="Trace 2 is not valid: steps: Field required"):
        shop_registry.import_traces([SEEN, {"request": "x"}])
    with pytest.raises(TraceError, match="no_such_tool"):
        shop_registry.import_traces([{"request": "x", "steps": ["no_such_tool"]}])
    unknown = [{"request": "x", "steps": ["no_such_tool"]}]
    assert shop_registry.import_traces(unknown, skip_unknown=True).skipped == 1
    with pytest.raises(TraceError, match="No trace format 'csv'"):
        shop_registry.import_traces("traces.csv", format="csv")


def test_old_evidence_goes(shop_registry):
    before = shop_registry.traces.statistics(top=3)
    assert len(before.travelled) == 3
    assert shop_registry.traces.decay(timedelta(days=30)) > 0
    assert shop_registry.traces.prune(datetime(2026, 6, 1)) > 0
    assert shop_registry.traces.prune(datetime(2026, 6, 1)) == 0
