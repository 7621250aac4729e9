"""Who answers calls: pretending, remembering, far away, and in Python."""

import json
import sys

import pytest

from spm.evaluation.agent.backends import Dry, Simulation, backend
from spm.evaluation.agent.episode import called
from spm.registry.calling.callable_tool import Failed
from spm.registry.errors import InputError
from tests.data.scripted import Answer, fails, serving


@pytest.fixture
def tool(tools):
    return tools.tools.__getitem__


def test_a_simulated_tool_keeps_its_contract(tool):
    found = Simulation().call(tool("add_up"), {"count": 3})
    assert isinstance(found, dict)
    assert list(found) == ["total", "lines"]
    assert isinstance(found["total"], float)
    assert isinstance(found["lines"], list)
    assert found["lines"]


def test_the_same_call_has_the_same_result_and_another_seed_another(tool):
    call = (tool("find_order"), {"order_id": "4821"})
    first = Simulation(1).call(*call)
    assert Simulation(1).call(*call) == first
    assert Simulation(2).call(*call) != first
    assert Simulation(1).call(tool("find_order"), {"order_id": "4822"}) != first


def test_what_a_tool_takes_and_gives_stays_as_it_was(registry, manifest):
    from spm.evaluation.agent.shown_menus import toolbox

    registry.register(manifest("s", look=(["order_id"], ["order_id", "sum"])))
    (look,) = toolbox(registry.store, ["s/look"]).tools.values()
    found = Simulation().call(look, {"order_id": "4821"})
    assert isinstance(found, dict)
    assert found["order_id"] == "4821"


def test_a_tool_that_declares_nothing_is_accepted(tool):
    assert Simulation().call(tool("close_case"), {}) == {"status": "accepted"}
    assert Dry().call(tool("find_order"), {"order_id": "1"}) == {"status": "accepted"}


def test_only_what_is_real_is_called_real():
    assert not Simulation().real
    assert not Simulation().observed
    assert backend("simulate", seed=4) == Simulation(4)
    assert backend("none") == Dry()
    remote = backend("https://tools.example.com/call?key=secret")
    assert (remote.real, remote.observed, remote.name) == (True, True, "http:tools.example.com")


@pytest.mark.parametrize("said", ["", "simulated", "recorded:", "http://", "http://u:p@h/"])
def test_no_such_backend(said):
    with pytest.raises(InputError):
        backend(said)


def test_recorded_results_answer(tmp_path, tool):
    file = tmp_path / "results.jsonl"
    rows = [
        {"tool": "shop/find_order", "result": {"amount": 1}},
        {"tool": "find_order", "result": "never: the id comes first"},
        {"tool": "shop/find_order", "arguments": {"order_id": "7"}, "result": {"amount": 7}},
        {"tool": "find_mail", "arguments": {"customer_id": "1"}, "result": None},
    ]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n")
    recorded = backend(f"recorded:{file}")
    assert (recorded.real, recorded.observed, recorded.name) == (
        False,
        True,
        "recorded:results.jsonl",
    )
    assert recorded.call(tool("find_order"), {"order_id": "7"}) == {"amount": 7}
    assert recorded.call(tool("find_order"), {"order_id": "8"}) == {"amount": 1}
    assert recorded.call(tool("find_mail"), {"customer_id": "1"}) is None
    with pytest.raises(Failed, match="no response was recorded"):
        recorded.call(tool("find_mail"), {"customer_id": "2"})


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"tool": "a"}', '{"tool": 1, "result": 2}',
                                  '{"tool": "a", "result": 1, "arguments": []}'])  # fmt: skip
def test_a_recording_that_cannot_be_used_is_refused_with_its_place(tmp_path, line):
    file = tmp_path / "results.jsonl"
    file.write_text('{"tool": "a", "result": 1}\n\n' + line + "\n")
    with pytest.raises(InputError, match=r"results\.jsonl:3: expected"):
        backend(f"recorded:{file}")
    with pytest.raises(InputError, match="Cannot read"):
        backend(f"recorded:{tmp_path / 'nothing'}")


def test_a_remote_tool_gets_its_id_and_arguments(tools):
    with serving(Answer({"amount": 5})) as server:
        call = called(backend(server.url), tools, "find_order", '{"order_id": "1"}')
    assert server.bodies == [{"tool": "shop/find_order", "arguments": {"order_id": "1"}}]
    assert (call.outcome, call.result) == ("ok", {"amount": 5})


@pytest.mark.parametrize(
    ("answer", "outcome", "told"),
    [
        (fails(500, "secret stack"), "exception", "the tool's server answered 500"),
        (Answer({}, 302, {"location": "http://127.0.0.1:1/"}), "exception", "answered 302"),
        (Answer(b"<html>"), "exception", "something else than JSON"),
        (Answer(b""), "empty response", "empty"),
        (Answer(b"null"), "empty response", "empty"),
        (Answer({}), "empty response", "empty"),
    ],
)
def test_what_goes_wrong_far_away_is_an_observation(tools, answer, outcome, told):
    with serving(answer) as server:
        call = called(backend(server.url), tools, "find_order", '{"order_id": "1"}')
    assert call.outcome == outcome
    assert told in call.observation.text
    assert "secret" not in call.observation.text


def test_a_remote_tool_that_is_not_there(tools):
    with serving() as server:
        url = server.url
    call = called(backend(url), tools, "find_order", '{"order_id": "1"}')
    assert call.outcome == "exception"
    assert "connection refused" in call.observation.text


def test_a_function_of_yours_runs_tools(tools, tmp_path, monkeypatch):
    (tmp_path / "my_shop_tools.py").write_text(
        "def run(tool, arguments):\n    return {'ran': tool, **arguments}\n"
    )
    monkeypatch.chdir(tmp_path)
    found = backend("my_shop_tools:run")
    sys.modules.pop("my_shop_tools")
    assert (found.real, found.observed, found.name) == (True, True, "my_shop_tools:run")
    call = called(found, tools, "find_order", '{"order_id": "1"}')
    assert call.result == {"ran": "shop/find_order", "order_id": "1"}
    with pytest.raises(InputError, match="no_such_module"):
        backend("no_such_module:run")
