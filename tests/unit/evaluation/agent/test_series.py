"""Series of runs: what is kept, what is not, several at a time, and going on."""

import json
import threading
import time

import pytest

from spm.evaluation.agent import Agent, Endpoint, run
from spm.evaluation.agent.backends import Simulation, backend
from spm.evaluation.agent.judge import judge
from spm.evaluation.agent.run_files import Files
from spm.evaluation.agent.series import Series
from spm.registry.errors import EndpointError, InputError
from spm.registry.importers.documents import read_traces
from spm.registry.menus.golden import GoldenRequest
from spm.registry.traces.statistics import statistics
from tests.data.scripted import calls, fails, follows, says, serving

PATH = ("find_order", "make_receipt", "find_mail", "send_mail")
GOLDEN = [
    GoldenRequest("Mail the receipt of order 4821", PATH),
    GoldenRequest("Find order 4821", ("find_order",)),
    GoldenRequest("Close the case", ("close_case",)),
]
MODEL = follows(*PATH, order_id="4821")
CANARY = "CANARY-7731"


@pytest.fixture
def series(shop_registry):
    def make(server, *, tools="simulate", retries=0, **more):
        endpoint = Endpoint(server.url, "scripted", retries=retries)
        said = more.pop("judge", "path")
        agent = Agent(endpoint, backend(tools), judge(said), **more)
        return Series(shop_registry, agent, said, "all")

    return make


@pytest.fixture
def recorded(tmp_path):
    """Results in which every value is the canary."""
    file = tmp_path / "results.jsonl"
    gives = {"customer_id": CANARY, "amount": CANARY}
    rows = [{"tool": "find_order", "result": gives}]
    rows += [{"tool": "make_receipt", "result": {"receipt_id": CANARY}}]
    rows += [{"tool": "find_mail", "result": {"mail_address": CANARY}}]
    rows += [{"tool": "send_mail", "result": {"message_id": CANARY, "sent_at": CANARY}}]
    file.write_text("\n".join(map(json.dumps, rows)))
    return f"recorded:{file}"


def lines(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_runs_are_judged_and_counted(series):
    with serving(reply=MODEL) as server:
        done = series(server)
        done.run(GOLDEN)
    assert [one.success for one in done.over] == [True, True, False]
    counted = done.summary
    assert (counted.runs, counted.judged, counted.succeeded, counted.rate) == (3, 3, 2, 0.6667)
    assert (counted.known, counted.offered) == (3, 3)
    assert counted.endings == {"answer": 3, "budget": 0, "refused": 0}
    assert counted.calls == counted.outcomes["ok"] == 12
    assert counted.prompt_tokens == 100 * len(server.bodies)
    assert done.over[2].reason == "never worked: shop/close_case"


def test_from_python_a_request_is_enough(shop_registry):
    def menus(request, state):
        return ["find_order", "shop/find_order", "send_mail"]  # names or ids, each once

    with serving(calls(("find_order", {"order_id": "1"})), says("done")) as server:
        (episode,) = run(shop_registry, ["Find it"], Endpoint(server.url, "scripted"), menus=menus)
    assert episode.task.tools.ids == ["shop/find_order", "shop/send_mail"]
    assert len(server.bodies[0]["tools"]) == 2
    assert episode.run.answer == "done"
    assert episode.verdict is None
    with pytest.raises(InputError, match="at a time"):
        list(run(shop_registry, [], Endpoint(server.url, "scripted"), parallel=0))


def test_no_value_is_kept(series, recorded, tmp_path):
    out, folder = tmp_path / "traces.jsonl", tmp_path / "whole"
    with serving(reply=lambda body: _repeating(MODEL(body))) as server:
        done = series(server, tools=recorded)
        done.run(GOLDEN[:1], out, transcripts=folder)
    assert [call.outcome for call in done.over[0].calls] == ["ok"] * 4
    assert CANARY in next(iter(done.answers.values()))
    assert CANARY not in out.read_text() + (tmp_path / "traces.episodes.jsonl").read_text()
    (whole,) = folder.iterdir()  # only there, and only when asked for
    assert CANARY in whole.read_text()
    (record,) = lines(tmp_path / "traces.episodes.jsonl")
    assert "answer" not in record
    assert record["calls"][2] == {
        "tool": "shop/make_receipt",
        "name": "",
        "outcome": "ok",
        "takes": {"order_id": "string", "amount": "string"},
    }
    (trace,) = lines(out)
    assert trace == record["trace"]
    assert trace["steps"][3] == {
        "tool": "shop/send_mail",
        "takes": {"mail_address": "string", "receipt_id": "string"},
        "gives": {"message_id": "string", "sent_at": "string"},
    }


def _repeating(answer):
    """A model that repeats values where it should not."""
    message = answer.body["choices"][0]["message"]
    if message.get("tool_calls"):
        return answer
    return says(f"Sent to {CANARY}")


def test_traces_come_back_into_the_registry(series, recorded, shop_registry, tmp_path):
    out = tmp_path / "traces.jsonl"
    with serving(reply=MODEL) as server:
        series(server, tools=recorded).run(GOLDEN, out)
    before = statistics(shop_registry.store, top=10)
    found = shop_registry.import_traces(list(read_traces(out)))
    assert (found.imported, found.known) == (3, 0)
    after = statistics(shop_registry.store, top=10)
    assert (before.trajectories, after.trajectories, after.successful) == (0, 3, 2)
    # What the real tools were seen to give is learned; order comes from the successes.
    given = {row["field"]: row for row in shop_registry.show("send_mail").outputs}
    assert given["sent_at"]["evidence"] == "observed"
    assert ("shop/find_order", "shop/find_mail") in {
        (row["first"], row["second"]) for row in after.travelled
    }
    assert shop_registry.import_traces(list(read_traces(out))).known == 3


def test_what_a_simulation_gives_is_not_observed(series, tmp_path):
    out = tmp_path / "traces.jsonl"
    with serving(reply=MODEL) as server:
        series(server).run(GOLDEN[:1], out)
    (trace,) = lines(out)
    assert trace["source"] == "spm agent run: scripted, tools simulated"
    assert not any("gives" in step for step in trace["steps"])
    assert "flows" not in trace


def test_failures_are_steps_and_what_reached_no_tool_is_none(series, tmp_path):
    out, recorded = tmp_path / "traces.jsonl", tmp_path / "results.jsonl"
    recorded.write_text('{"tool": "find_order", "result": null}\n')
    turns = [
        calls(("conjure_order", {"wish": "x"}), ("find_order", {}), ("look it up: 4821", {})),
        calls(("find_order", {"order_id": "1"}), ("find_mail", {"customer_id": "1"})),
    ]
    with serving(*turns, says("oh")) as server:
        series(server, tools=f"recorded:{recorded}").run(GOLDEN[:1], out)
    (record,) = lines(tmp_path / "traces.episodes.jsonl")
    assert [(c["tool"], c["name"], c["outcome"]) for c in record["calls"]] == [
        (None, "conjure_order", "missing tool"),
        ("shop/find_order", "", "invalid arguments"),
        (None, "", "missing tool"),  # that was no name, so it may be a value
        ("shop/find_order", "", "empty response"),
        ("shop/find_mail", "", "not called"),  # nothing was recorded, which is no fault of its own
    ]
    (trace,) = lines(out)
    (step,) = trace["steps"]
    assert (step["tool"], step["ok"]) == ("shop/find_order", False)
    assert trace["success"] is False


def test_a_run_without_a_tool_leaves_a_record_and_no_trace(series, tmp_path):
    out = tmp_path / "traces.jsonl"
    with serving(says("I know it by heart")) as server:
        done = series(server)
        done.run(GOLDEN[:1], out)
    assert out.read_text() == ""
    assert lines(tmp_path / "traces.episodes.jsonl")[0]["trace"] is None
    assert any("parse tool calls" in line for line in done.notes())


def test_a_run_that_nobody_judged_teaches_no_order(series, tmp_path):
    out = tmp_path / "traces.jsonl"
    with serving(reply=MODEL) as server:
        done = series(server, judge="none")
        done.run(GOLDEN[:1], out)
    assert lines(out)[0]["success"] is False
    assert done.over[0].success is None
    assert done.summary.rate is None


def test_a_series_goes_on_where_it_broke_off(series, tmp_path):
    out = tmp_path / "traces.jsonl"

    def until_it_breaks(body):
        broken = body["messages"][1]["content"] == GOLDEN[1].request
        return fails(500, "out of memory") if broken else MODEL(body)

    with serving(reply=until_it_breaks) as server:
        broken = series(server)
        with pytest.raises(EndpointError, match="out of memory"):
            broken.run(GOLDEN, out)
    assert len(broken.records) == len(lines(out)) == 1
    with serving(reply=MODEL) as server:
        done = series(server)
        done.run(GOLDEN, out, resume=True)
    asked = {body["messages"][1]["content"] for body in server.bodies}
    assert asked == {GOLDEN[1].request, GOLDEN[2].request}
    assert [one.success for one in done.over] == [True, True, False]
    assert done.before == 1
    assert len(lines(out)) == len(lines(tmp_path / "traces.episodes.jsonl")) == 3
    with serving() as server:  # nothing is left
        series(server).run(GOLDEN, out, resume=True)
    assert server.bodies == []


def test_a_line_that_was_cut_off_is_run_again(series, tmp_path):
    out, records = tmp_path / "traces.jsonl", tmp_path / "traces.episodes.jsonl"
    with serving(reply=MODEL) as server:
        series(server).run(GOLDEN, out)
        # As a power cut may leave it: half a record, and a trace whose record is lost.
        records.write_text(records.read_text()[:-40])
        server.bodies.clear()
        series(server).run(GOLDEN, out, resume=True)
    assert {body["messages"][1]["content"] for body in server.bodies} == {GOLDEN[2].request}
    assert len(lines(records)) == 3
    assert [row["trace"] for row in lines(records)] == lines(out)


def test_what_the_endpoint_refused_is_tried_again(series, tmp_path):
    out = tmp_path / "traces.jsonl"
    with serving(fails(400, "too long")) as server:
        done = series(server)
        done.run(GOLDEN[:1], out)
    (record,) = lines(tmp_path / "traces.episodes.jsonl")
    assert (record["ended"], record["success"]) == ("refused", False)
    assert "too long" in record["reason"]
    with serving(reply=MODEL) as server:
        done = series(server)
        done.run(GOLDEN[:1], out, resume=True)
    assert [row["success"] for row in lines(tmp_path / "traces.episodes.jsonl")] == [True]


def test_files_that_are_there_are_not_written_over(series, tmp_path):
    out = tmp_path / "traces.jsonl"
    with serving(reply=MODEL) as server:
        series(server).run(GOLDEN[:1], out)
        with pytest.raises(InputError, match="--resume"):
            series(server).run(GOLDEN[:1], out)
        with pytest.raises(InputError, match="max_calls was 8, now 3"):
            series(server, budget=3).run(GOLDEN[:1], out, resume=True)
        records = tmp_path / "traces.episodes.jsonl"
        records.write_text('{"no": "record"}\n')
        with pytest.raises(InputError, match=r"episodes\.jsonl:1: not a record"):
            series(server).run(GOLDEN[:1], out, resume=True)
        records.unlink()
        with pytest.raises(InputError, match="is missing"):
            series(server).run(GOLDEN[:1], out, resume=True)
    with pytest.raises(InputError, match="Cannot write"):
        Files(tmp_path / "no" / "such" / "traces.jsonl", {})


def test_the_same_request_twice_is_one(series):
    with serving(reply=MODEL) as server:
        done = series(server)
        done.run([GOLDEN[1], GOLDEN[1]])
    assert done.summary.runs == 1


@pytest.mark.parametrize("parallel", [1, 3])
def test_so_many_runs_at_a_time_and_no_more(series, parallel):
    busy, most, lock = 0, 0, threading.Lock()
    together = threading.Barrier(parallel)

    def model(body):
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        together.wait(60)  # breaks unless so many are asked at a time
        time.sleep(0.02)
        with lock:
            busy -= 1
        return says("done")

    requests = [GoldenRequest(f"request {n}", ()) for n in range(6)]
    with serving(reply=model) as server:
        done = series(server, judge="none")
        done.run(requests, parallel=parallel)
    assert most == parallel
    assert [one.request for one in done.over] == [golden.request for golden in requests]


def test_runs_that_go_on_when_one_fails_are_stopped(shop_registry):
    def model(body):
        if body["messages"][1]["content"] == "bad":
            time.sleep(0.1)
            return fails(401)
        time.sleep(0.03)
        return calls(("find_order", {"order_id": "1"}))

    with serving(reply=model) as server:
        agent = Agent(Endpoint(server.url, "m"), Simulation(), judge("none"), budget=1_000)
        with pytest.raises(EndpointError, match="401"):
            list(run(shop_registry, ["good", "bad"], agent, menus=_first, parallel=2))
        asked = len(server.bodies)
        time.sleep(0.5)
        assert len(server.bodies) <= asked + 1  # the turn that had begun


def _first(request, state):
    return ["shop/find_order"]
