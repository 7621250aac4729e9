"""Runs through frozen menus: when they end, what is kept of them, and what is tried again."""

from typing import Any

import anyio
import pytest

from spm.registry.errors import StoreError
from spm.registry.menus.frozen import Frozen, FrozenItem
from spm.registry.traces.trace_file import MAX_STEPS
from spm.service.mcp import trace_recording
from spm.service.mcp.trace_recording import Recorder

ITEM: dict[str, Any] = {
    "version": "1", "content_hash": "0", "effects": "read", "needs": {}, "gives": [],
}  # fmt: skip
MENU = Frozen(
    request="Refund order 7", team=None, scopes=None, read_only=False, state=(),
    route=("pay/find", "pay/refund"),
    items=(
        FrozenItem(rank=1, id="pay/find", alias="find", name="find", role="entry", **ITEM),
        FrozenItem(rank=2, id="pay/refund", alias="refund", name="refund", role="target", **ITEM),
    ),
)  # fmt: skip


class Desk:
    """Runs work on a registry that takes traces; may be out of order for a while."""

    def __init__(self):
        self.traces, self.broken = [], False

    async def ask(self, work):
        raise AssertionError("nothing is read")

    async def write(self, work):
        if self.broken:
            raise StoreError("gone")
        return work(self)

    def import_traces(self, found, *, skip_unknown):
        assert skip_unknown
        self.traces += found
        return type("Import", (), {"imported": 0})


@pytest.fixture
def desk():
    return Desk()


def call(recorder, key="s", tool="pay/find", ok=True, **values):
    recorder.note(key, MENU, tool, values or {"order_id": "o-secret-7"}, {"payment_id": "p"}, ok)


def run(work):
    return anyio.run(work)


def test_a_run_keeps_names_and_no_values(desk):
    recorder = Recorder(desk)
    call(recorder)
    call(recorder, tool="pay/refund", payment_id="pay-secret-1")
    run(recorder.end)
    (trace,) = desk.traces
    assert [step.tool for step in trace.steps] == ["pay/find", "pay/refund"]
    assert trace.steps[0].takes == {"order_id": "string"}
    assert trace.success
    assert trace.request == "Refund order 7"
    assert "secret" not in trace.model_dump_json()
    run(recorder.end)
    assert len(desk.traces) == 1


@pytest.mark.parametrize(
    ("calls", "success"),
    [
        ([("pay/refund", True)], True),
        ([("pay/refund", False)], False),
        ([("pay/find", True)], False),
        ([("pay/refund", False), ("pay/refund", True)], True),
    ],
)
def test_success_is_that_the_target_ran(desk, calls, success):
    recorder = Recorder(desk)
    for tool, ok in calls:
        call(recorder, tool=tool, ok=ok)
    run(recorder.end)
    assert desk.traces[0].success is success


def test_runs_are_apart_and_end_one_by_one(desk):
    recorder = Recorder(desk)
    call(recorder, "one")
    call(recorder, "two")
    run(lambda: recorder.end(lambda key: key == "one"))
    assert len(desk.traces) == 1
    run(recorder.end)
    assert len(desk.traces) == 2


def test_a_run_in_which_nothing_happens_ends(desk):
    recorder = Recorder(desk, idle=0.05)

    async def wait():
        async with recorder.running():
            call(recorder)
            with anyio.fail_after(10):
                while not desk.traces:
                    await anyio.sleep(0.01)

    run(wait)
    assert len(desk.traces) == 1


def test_a_busy_run_does_not(desk):
    recorder = Recorder(desk, idle=1_000)
    call(recorder)
    run(recorder.end_idle)
    assert desk.traces == []


def test_a_call_that_reached_nobody_keeps_a_run_going_and_is_no_step(desk):
    recorder = Recorder(desk, idle=0.2)
    recorder.touch("s")
    assert recorder._runs == {}
    call(recorder)
    recorder._runs["s"].touched -= 1_000
    recorder.touch("s")
    run(recorder.end_idle)
    assert desk.traces == []
    run(recorder.end)
    assert [step.tool for step in desk.traces[0].steps] == ["pay/find"]


def test_what_cannot_be_written_is_written_later(desk):
    recorder = Recorder(desk)
    call(recorder)
    desk.broken = True
    assert run(recorder.end) == 0
    desk.broken = False
    run(recorder.end_idle)
    assert len(desk.traces) == 1


def test_an_endless_run_is_recorded_in_parts(desk):
    recorder = Recorder(desk)
    for _ in range(MAX_STEPS + 1):
        call(recorder)
    run(recorder.end)
    assert sorted(len(trace.steps) for trace in desk.traces) == [1, MAX_STEPS]


def test_runs_without_end_make_room(desk, monkeypatch):
    monkeypatch.setattr(trace_recording, "MOST", 3)
    recorder = Recorder(desk)
    for number in range(5):
        call(recorder, number)
    assert len(recorder._runs) == 3
    run(recorder.end)
    assert len(desk.traces) == 5
