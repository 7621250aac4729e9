"""`spm agent run` as people and programs use it, against a scripted server on this machine."""

import gzip
import json
import signal
import subprocess
import sys
import threading

import pytest

from spm.registry import demo
from tests.data.scripted import calls, fails, follows, says, serving

PATH = ["lookup_order", "create_receipt", "get_customer_email", "send_email_receipt"]
MODEL = follows(*PATH, order_id="4821")
GOLDEN = [
    {"request": demo.REQUEST, "path": PATH},
    {"request": "What is in order 4821?", "path": ["lookup_order"]},
    {"request": "Cancel order 4821", "path": ["cancel_order"]},
]
KEY = "sk-test-91b2cc04d7"


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def golden(tmp_path):
    file = tmp_path / "golden.jsonl"
    file.write_text("\n".join(map(json.dumps, GOLDEN)) + "\n")
    return file


@pytest.fixture
def agent(spm, demo_folder):
    """Run the command against a server, in the demo."""

    def run(server, *arguments, store=demo_folder):
        url = server if isinstance(server, str) else server.url
        options = ("--base-url", url, "--model", "scripted", "--store", store)
        return spm("agent", "run", *arguments, *options)

    return run


def test_one_request_is_shown_call_by_call(agent):
    with serving(reply=MODEL) as server:
        done = agent(server, demo.REQUEST)
    assert done.code == 0, done.err
    for tool in PATH:
        assert tool in done.out
    assert "not judged; ended with an answer, 4 calls" in done.out
    assert "It is done." in done.out
    assert "Tools were simulated" in done.err
    assert "Nobody judged" in done.err
    # The menu went out in its own order, 32 tools of it.
    offered = [tool["function"]["name"] for tool in server.bodies[0]["tools"]]
    assert len(offered) == 32
    assert set(offered[:4]) == set(PATH)


def test_many_requests_are_counted(agent, golden):
    with serving(reply=MODEL) as server:
        done = agent(server, "--requests", golden)
    assert done.code == 0, done.err
    assert "3 runs of scripted with learned menus" in done.out
    assert "2 of 3 (0.667)" in done.out
    assert "Failures: 1" in done.out
    assert "never worked: orders/cancel_order" in " ".join(done.out.split())


def test_as_json(agent, golden):
    with serving(reply=MODEL) as server:
        found = agent(server, "--requests", golden, "--limit", 2, "--json", "-k", 16).json
    assert found["simulated"] is True
    assert (found["summary"]["succeeded"], found["summary"]["runs"]) == (2, 2)
    assert found["setting"]["judge"] == "path"
    first = found["runs"][0]
    assert len(first["menu"]) == 16
    assert (first["success"], first["ended"], first["answer"]) == (True, "answer", "It is done.")
    assert [call["outcome"] for call in first["calls"]] == ["ok"] * 4


def test_traces_are_imported_and_change_the_statistics(agent, spm, golden, shop_copy, tmp_path):
    out = tmp_path / "traces.jsonl"
    with serving(reply=MODEL) as server:
        done = agent(server, "--requests", golden, "--out", out, store=shop_copy)
    assert done.code == 0, done.err
    assert str(out) in done.err
    before = spm("traces", "stats", "--json", "--store", shop_copy).json
    imported = spm("traces", "import", out, "--json", "--store", shop_copy).json
    after = spm("traces", "stats", "--json", "--store", shop_copy).json
    assert (imported["imported"], imported["known"]) == (3, 0)
    assert after["trajectories"] == before["trajectories"] + 3
    assert after["successful"] == before["successful"] + 2
    assert spm("traces", "import", out, "--json", "--store", shop_copy).json["known"] == 3


def test_every_failure_is_told_apart(agent):
    turns = [
        calls(("teleport_parcel", {})),
        calls(("lookup_order", '{"order_id": ')),
        calls(("lookup_order", {"order_id": "4821"}), ("lookup_order", {})),
        says("I give up"),
    ]
    with serving(*turns) as server:
        found = agent(server, demo.REQUEST, "--json").json
    outcomes = [call["outcome"] for call in found["runs"][0]["calls"]]
    assert outcomes == ["missing tool", "invalid arguments", "ok", "invalid arguments"]
    assert found["summary"]["outcomes"]["invalid arguments"] == 2


def test_the_budget_is_an_option(agent):
    with serving(calls(("lookup_order", {"order_id": "1"}))) as server:
        eight = agent(server, demo.REQUEST, "--json").json["runs"][0]
        two = agent(server, demo.REQUEST, "--json", "--max-calls", 2).json["runs"][0]
    assert (len(eight["calls"]), eight["ended"]) == (8, "budget")
    assert (len(two["calls"]), two["ended"]) == (2, "budget")


def test_a_busy_server_is_waited_for(agent):
    busy = [fails(429, retry_after="0"), fails(503, retry_after="0")]
    with serving(reply=MODEL, first=busy) as server:
        done = agent(server, demo.REQUEST)
    assert done.code == 0, done.err
    assert len(server.bodies) == 7  # two refusals, four calls, one answer


def test_a_server_that_fails_for_ever_is_an_error_with_a_next_step(agent):
    with serving(fails(500, "CUDA out of memory", retry_after="0")) as server:
        done = agent(server, demo.REQUEST, "--retries", 2)
    assert done.code == 1
    assert done.out == ""
    assert "failed 3 times, at last with 500: CUDA out of memory" in done.err
    assert "--retries" in done.err


def test_nobody_listening_is_an_error_with_a_next_step(agent):
    with serving() as server:
        url = server.url
    done = agent(url, demo.REQUEST)
    assert done.code == 1
    assert "connection refused" in done.err
    assert "Start the server, or correct --base-url" in done.err


@pytest.mark.parametrize(
    "answer", [fails(401, f"bad key {KEY}"), fails(400, f"bad {KEY}"), says("x"), fails(307)]
)
def test_the_key_is_shown_and_kept_nowhere(agent, answer, tmp_path):
    out, folder = tmp_path / "traces.jsonl", tmp_path / "whole"
    with serving(answer) as server:
        done = agent(server, demo.REQUEST, "--out", out, "--transcripts", folder, "--json")
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    written = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    assert KEY not in done.out + done.err + "".join(written)


def test_a_request_that_the_endpoint_refuses_is_told_by_the_exit_code(agent, golden):
    def model(body):
        return fails(400, "too long") if "Cancel" in str(body["messages"]) else MODEL(body)

    with serving(reply=model) as server:
        done = agent(server, "--requests", golden)
    assert done.code == 1
    assert "refused by the endpoint" in done.out
    assert "2 of 3 (0.667)" in done.out
    assert "too long" in done.out


def test_a_broken_series_is_kept_and_goes_on(agent, golden, tmp_path):
    out = tmp_path / "traces.jsonl"

    def model(body):
        return fails(500, "gone") if "Cancel" in str(body["messages"]) else MODEL(body)

    with serving(reply=model) as server:
        broken = agent(server, "--requests", golden, "--out", out, "--retries", 0)
    assert broken.code == 1
    assert "2 of 3 are over; go on with --resume" in broken.err
    with serving(reply=MODEL) as server:
        assert "--resume" in agent(server, "--requests", golden, "--out", out).err
        done = agent(server, "--requests", golden, "--out", out, "--resume")
    assert done.code == 0, done.err
    assert "2 of 3 runs were over before" in done.err
    assert {body["messages"][1]["content"] for body in server.bodies} == {GOLDEN[2]["request"]}


def test_ctrl_c_loses_nothing_that_is_over(golden, demo_folder, tmp_path):
    out = tmp_path / "traces.jsonl"
    hanging, gone = threading.Event(), threading.Event()

    def model(body):
        if body["messages"][1]["content"] == GOLDEN[1]["request"]:
            hanging.set()
            gone.wait(600)
        return MODEL(body)

    command = [sys.executable, "-m", "spm.cli", "agent", "run", "--requests", str(golden)]
    options = ["--out", str(out), "--model", "m", "--store", str(demo_folder), "--base-url"]
    with (
        serving(reply=model) as server,
        subprocess.Popen(
            [*command, *options, server.url], stderr=subprocess.PIPE, text=True
        ) as going,
    ):
        try:
            assert hanging.wait(120)
            going.send_signal(signal.SIGINT)
            _, said = going.communicate(timeout=120)  # not as long as the model hangs
        finally:
            going.kill()
            gone.set()
    assert going.returncode == 130, said
    assert "1 of 3 are over; go on with --resume" in said
    records = (tmp_path / "traces.episodes.jsonl").read_text().splitlines()
    assert [json.loads(line)["request"] for line in records] == [demo.REQUEST]
    assert len(out.read_text().splitlines()) == 1


def test_several_at_a_time(agent, golden):
    with serving(reply=MODEL) as server:
        found = agent(server, "--requests", golden, "--parallel", 3, "--json").json
    assert [run["request"] for run in found["runs"]] == [row["request"] for row in GOLDEN]
    assert [run["success"] for run in found["runs"]] == [True, True, False]


@pytest.mark.parametrize(("menu", "tools"), [("dense", 32), ("bm25", None), ("all", 98)])
def test_other_menus(agent, menu, tools):
    with serving(says("no")) as server:
        assert agent(server, demo.REQUEST, "--menu", menu).code == 0
        offered = [tool["function"]["name"] for tool in server.bodies[0]["tools"]]
        assert len(offered) == (tools or len(offered)) > 3
        assert "send_email_receipt" in offered
        assert agent(server, demo.REQUEST, "--menu", menu, "--read-only").code == 0
    fewer = [tool["function"]["name"] for tool in server.bodies[1]["tools"]]
    assert "send_email_receipt" not in fewer


def test_menus_backends_and_judges_of_yours(agent, tmp_path, monkeypatch):
    (tmp_path / "my_agent_parts.py").write_text(
        "def menu(request, state):\n    return ['lookup_order', 'cancel_order']\n"
        "def tools(tool, arguments):\n    return {'tool': tool, 'customer_id': 'c-1'}\n"
        "def judge(seen):\n    return {'success': len(seen['calls']) == 2, 'reason': 'two'}\n"
    )
    monkeypatch.chdir(tmp_path)
    parts = [f"--{n}=my_agent_parts:{f}" for n, f in
             [("menu", "menu"), ("backend", "tools"), ("judge", "judge")]]  # fmt: skip
    wanted = {"order_id": "1", "cancel_reason": "late"}
    turns = [calls(("lookup_order", wanted), ("cancel_order", wanted)), says("done")]
    with serving(*turns) as server:
        found = agent(server, "Cancel it", *parts, "--json").json
        allowed = agent(server, "Cancel it", *parts, "--json", "--allow-destructive").json
    sys.modules.pop("my_agent_parts")
    assert found["simulated"] is False
    (run,) = found["runs"]
    assert run["menu"] == ["orders/lookup_order", "orders/cancel_order"]
    # Nobody approved what cannot be undone.
    assert [call["outcome"] for call in run["calls"]] == ["ok", "declined"]
    assert (run["success"], run["reason"]) == (True, "two")
    assert [call["outcome"] for call in allowed["runs"][0]["calls"]] == ["ok", "ok"]


def test_the_episodes_of_a_data_set(agent, spm, tmp_path):
    folder = tmp_path / "tiny_set"
    folder.mkdir()
    tools = [
        {"name": "get_city", "description": "Find the city of a person.", "family": "",
         "inputs": [{"name": "person", "type": "str", "required": True}],
         "outputs": [{"name": "city", "type": "str"}]},
        {"name": "get_weather", "description": "The weather in a city.", "family": "",
         "inputs": [{"name": "city", "type": "str", "required": True}],
         "outputs": [{"name": "weather", "type": "str"}]},
    ]  # fmt: skip
    path = ["get_city", "get_weather"]
    episodes = [
        {"id": f"e{n}", "request": f"What is the weather where {name} lives?", "path": path,
         "state": ["person"], "split": split}
        for n, (name, split) in enumerate([("Ann", "train"), ("Bob", "test"), ("Cid", "test")])
    ]  # fmt: skip
    for name, rows in (("tools", tools), ("episodes", episodes)):
        with gzip.open(folder / f"{name}.jsonl.gz", "wt") as file:
            file.write("\n".join(map(json.dumps, rows)))
    store = tmp_path / "store"
    assert spm("dataset", "load", folder, "--store", store).code == 0
    with serving(reply=follows(*path, person="Bob")) as server:
        found = agent(server, "--folder", folder, "--json", store=store).json
    assert [run["request"][-10:] for run in found["runs"]] == ["Bob lives?", "Cid lives?"]
    assert found["summary"]["rate"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "give one of"),
        (["a", "--requests", "x"], "give one of"),
        (["--requests", "x", "--state", "order_id"], "--state goes with one request"),
        (["a", "--judge", "path"], "needs requests with a path"),
        (["a", "--resume"], "--resume goes on with an --out"),
        (["a", "--body", "[]"], "--body must be a JSON object"),
        (["a", "--body", "{"], "--body must be a JSON object"),
    ],
)
def test_wrong_usage(agent, arguments, told):
    done = agent("http://127.0.0.1:1/v1", *arguments)
    assert done.code == 2
    assert told in " ".join(done.err.replace("│", " ").split())


@pytest.mark.parametrize(
    "arguments",
    [["--menu", "best"], ["--backend", "real"], ["--judge", "me"], ["--requests", "/no"]],
)
def test_what_is_not_there_is_named(agent, arguments):
    request = [] if "--requests" in arguments else ["a"]
    done = agent("http://127.0.0.1:1/v1", *request, *arguments)
    assert done.code == 1
    assert arguments[1] in done.err


def test_a_model_is_needed(spm, demo_folder, monkeypatch):
    done = spm("agent", "run", "hello", "--store", demo_folder)
    assert done.code == 2
    assert "--base-url" in done.err
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    done = spm("agent", "run", "hello", "--model", "m", "--store", demo_folder)
    assert "cannot be reached" in done.err


def test_requests_without_a_path_are_run_and_not_judged(agent, tmp_path):
    file = tmp_path / "requests.jsonl"
    file.write_text('{"request": "What is in order 4821?"}\n' + json.dumps(GOLDEN[1]) + "\n")
    with serving(reply=MODEL) as server:
        found = agent(server, "--requests", file, "--json").json
    assert [run["success"] for run in found["runs"]] == [None, True]
    assert (found["summary"]["judged"], found["summary"]["known"]) == (1, 1)


def test_hostile_text_cannot_steer_the_terminal(agent):
    with serving(calls(("\x1b[2Jx", {})), says("\x1b]0;owned\x07 [red]hi[/red]")) as server:
        done = agent(server, demo.REQUEST)
    assert "\x1b" not in done.out + done.err
    assert "[red]hi[/red]" in done.out


def test_without_the_http_client_it_is_said_how_to_install_it(agent, monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx2", None)
    done = agent("http://127.0.0.1:1/v1", demo.REQUEST)
    assert done.code == 1
    assert "spm-registry[eval]" in done.err
