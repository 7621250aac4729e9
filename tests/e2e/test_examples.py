"""The examples run: against a scripted model on this machine, and over stdio. No network."""

import json
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from spm.registry.demo import REQUEST

ROOT = Path(__file__).parents[2]
SHAPES = Path(__file__).parents[1] / "data" / "examples"
ROUTE = {
    "lookup_order": "orders/lookup_order",
    "create_receipt": "payments/create_receipt",
    "get_customer_email": "customers/get_customer_email",
    "send_email_receipt": "messaging/send_email_receipt",
}
CANCEL = "Cancel order 991, the customer changed their mind"
LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
AGENTS = {
    "openai_agent": "openai",
    "anthropic_agent": "anthropic",
    "langgraph_agent": "langchain_openai",
}


def shape(name: str) -> Any:
    """An answer as the provider's reference shows it, with gaps for one call."""
    return json.loads((SHAPES / f"{name}.json").read_text(encoding="utf-8"))


@dataclass
class Talk:
    """What a request to the model holds, whoever's protocol it is in."""

    tools: dict[str, list[str]]  # in the order in which they were offered; required arguments
    values: dict[str, Any]  # what results said
    called: list[str] = field(default_factory=list)


def openai_talk(body: Any) -> Talk:
    tools = {
        tool["function"]["name"]: tool["function"]["parameters"].get("required", [])
        for tool in body["tools"]
        if tool["type"] == "function"
    }
    talk = Talk(tools, {})
    waiting = []
    for message in body["messages"]:
        if message["role"] == "assistant":
            waiting = [call["id"] for call in message["tool_calls"]]
            talk.called += [call["function"]["name"] for call in message["tool_calls"]]
        elif message["role"] == "tool":
            waiting.remove(message["tool_call_id"])  # raises when nobody asked
            talk.values |= json.loads(message["content"])
    assert not waiting, "calls without an answer"
    return talk


def anthropic_talk(body: Any) -> Talk:
    assert body["max_tokens"] > 0
    tools = {tool["name"]: tool["input_schema"].get("required", []) for tool in body["tools"]}
    talk = Talk(tools, {})
    waiting = []
    for message in body["messages"][1:]:
        for block in message["content"]:
            if block["type"] == "tool_use":
                waiting.append(block["id"])
                talk.called.append(block["name"])
            elif block["type"] == "tool_result":
                waiting.remove(block["tool_use_id"])
                found = json.loads(block["content"])
                assert block["is_error"] == ("error" in found)
                talk.values |= found
    assert not waiting, "calls without an answer"
    return talk


def openai_call(name: str, arguments: dict[str, Any], number: int) -> Any:
    answer = shape("openai_call")
    (call,) = answer["choices"][0]["message"]["tool_calls"]
    call["id"] = f"call_{number}"
    call["function"] = {"name": name, "arguments": json.dumps(arguments)}
    return answer


def anthropic_call(name: str, arguments: dict[str, Any], number: int) -> Any:
    answer = shape("anthropic_call")
    answer["content"][1] |= {"id": f"toolu_{number}", "name": name, "input": arguments}
    return answer


PROTOCOLS = {
    "/v1/chat/completions": ("openai", openai_talk, openai_call),
    "/v1/messages": ("anthropic", anthropic_talk, anthropic_call),
}


@dataclass
class Model:
    """A model that wants some tools and calls them in the order of the menu it is shown.

    It fills required arguments with what results said and the order's number of the request, so
    that a call whose inputs nobody made yet fails as it would in real life.
    """

    wanted: list[str]
    order: str
    stubborn: bool = False  # calls the first wanted tool for ever, offered or not
    url: str = ""
    talks: list[Talk] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def reply(self, path: str, headers: Any, body: Any) -> Any:
        provider, read, write = PROTOCOLS[path]
        key = headers["authorization"] or headers["x-api-key"]  # clients differ by version
        assert key.removeprefix("Bearer ") == "not-a-key"
        assert body["model"] == "scripted"
        talk = read(body)
        assert all(LEGAL.fullmatch(name) for name in talk.tools)
        self.talks.append(talk)
        if self.stubborn:
            return write(self.wanted[0], {}, len(talk.called))
        left = [n for n in talk.tools if n in self.wanted and n not in talk.called]
        if not left:
            return shape(f"{provider}_answer")
        values = {"order_id": self.order, **talk.values}
        arguments = {name: values[name] for name in talk.tools[left[0]] if name in values}
        return write(left[0], arguments, len(talk.called))


@contextmanager
def serving(model: Model) -> Any:
    """The model behind HTTP on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            try:
                status, answer = 200, model.reply(self.path, self.headers, body)
            except Exception as error:
                model.problems.append(repr(error))
                status, answer = 400, {"error": {"message": repr(error)}}
            raw = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        model.url = f"http://127.0.0.1:{server.server_port}"
        yield model
        server.shutdown()


def run(example: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run an example as a user would, with nobody at the keyboard."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LANG", "OPENAI", "ANTHR"))}
    keys = {"OPENAI_API_KEY": "not-a-key", "ANTHROPIC_API_KEY": "not-a-key"}
    return subprocess.run(
        [sys.executable, str(ROOT / "examples" / f"{example}.py"), *map(str, arguments)],
        env={**kept, **keys, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def agent(
    example: str, model: Model, store: Path, request: str, *more: str
) -> subprocess.CompletedProcess[str]:
    pytest.importorskip(AGENTS[example])
    url = model.url if example == "anthropic_agent" else f"{model.url}/v1"
    options = ("--store", store, "--base-url", url, "--model", "scripted")
    done = run(example, *options, *more, request)
    assert not model.problems, done.stderr
    return done


def follows_the_route(line: str) -> None:
    """The trace has the four calls under their ids, in an order in which each had its inputs."""
    trace = json.loads(line)
    assert trace["success"]
    assert all(step["ok"] for step in trace["steps"])
    tools = [step["tool"] for step in trace["steps"]]
    assert sorted(tools) == sorted(ROUTE.values())
    assert tools[0] == ROUTE["lookup_order"]
    assert tools[-1] == ROUTE["send_email_receipt"]


def imports(line: str, store: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from spm.cli.main import main

    file = folder / "trace.jsonl"
    file.write_text(line, encoding="utf-8")
    capsys.readouterr()
    assert main(["traces", "import", str(file), "--store", str(store), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["imported"] == 1


@pytest.mark.parametrize("example", AGENTS)
def test_an_agent_follows_the_route_and_its_trace_comes_back(example, shop_copy, tmp_path, capsys):
    with serving(Model(list(ROUTE), "4821")) as model:
        done = agent(example, model, shop_copy, REQUEST)
    assert done.returncode == 0, done.stderr
    follows_the_route(done.stdout)
    assert set(list(model.talks[0].tools)[:4]) == set(ROUTE)
    for talk in model.talks:  # every menu was a new one: what ran is not offered again
        assert not set(talk.called) & set(talk.tools)
    imports(done.stdout, shop_copy, tmp_path, capsys)


@pytest.mark.parametrize("example", AGENTS)
def test_an_agent_stops_after_eight_calls(example, demo_folder):
    with serving(Model(["no_such_tool"], "1", stubborn=True)) as model:
        done = agent(example, model, demo_folder, REQUEST)
    assert done.returncode == 1, done.stderr
    assert len(model.talks) == 8
    assert "the menu has no such tool" in str(model.talks[-1].values)
    assert not done.stdout


@pytest.mark.parametrize(
    ("example", "more", "ok"), [("openai_agent", [], False), ("anthropic_agent", ["--yes"], True)]
)
def test_what_cannot_be_undone_waits_for_a_person(example, more, ok, demo_folder):
    with serving(Model(["cancel_order"], "991")) as model:
        done = agent(example, model, demo_folder, CANCEL, *more)
    assert done.returncode == 0, done.stderr
    trace = json.loads(done.stdout)
    assert [(step["tool"], step["ok"]) for step in trace["steps"]] == [("orders/cancel_order", ok)]
    assert trace["success"] is ok
    assert ("error" in model.talks[-1].values) is not ok


def test_the_graph_in_pytorch_geometric_teaches_who_feeds_whom(demo_folder):
    pytest.importorskip("torch_geometric")
    done = run("pyg_graph", "--store", demo_folder)
    assert done.returncode == 0, done.stderr
    found = re.search(r"above a pair of chance in (\d+)%", done.stdout)
    assert found
    assert int(found[1]) > 70  # chance gives 50


NOTEBOOK = ROOT / "examples" / "quickstart.ipynb"
CELLS = """
import json, sys
names = {}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
print(names["menu"].ranker)
"""


def test_the_notebook_goes_from_an_openapi_file_to_a_trained_menu():
    pytest.importorskip("torch_geometric")
    done = subprocess.run(
        [sys.executable, "-c", CELLS, str(NOTEBOOK)],
        cwd=NOTEBOOK.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "trained"
    shown = [
        line.strip()
        for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
        for output in cell.get("outputs", ())
        for line in output.get("text", ())
        if "→" in line
    ]
    assert shown
    assert [line for line in done.stdout.splitlines() if "→" in line] == shown


def test_an_mcp_client_lists_the_menu_and_follows_its_route(shop, shop_copy, tmp_path, capsys):
    from spm.registry.menus.export import export_menu

    pytest.importorskip("mcp")
    done = run("mcp_client", "--store", shop_copy, "--have", "order_id=4821", REQUEST)
    assert done.returncode == 0, done.stderr
    follows_the_route(done.stdout)
    ready = export_menu(shop.store, shop.menu(REQUEST), "mcp")
    listed = [line.split() for line in done.stderr.splitlines() if re.match(r"\d+ ", line)]
    offered = [(str(i.rank), i.role, ready.names.of[i.id]) for i in ready.menu.items]
    assert [tuple(words) for words in listed] == offered
    imports(done.stdout, shop_copy, tmp_path, capsys)
