"""An OpenAI-compatible endpoint on this machine that says what a test wrote down."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What goes back over the wire."""

    body: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def says(text: str) -> Answer:
    """The model's last words."""
    return _completion({"role": "assistant", "content": text})


def calls(*wanted: tuple[str, object]) -> Answer:
    """One message that calls tools; arguments that are no text become JSON, as servers send it."""
    asked = [
        {
            "id": f"call_{name}_{place}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": said if isinstance(said, str) else json.dumps(said),
            },
        }
        for place, (name, said) in enumerate(wanted)
    ]
    return _completion({"role": "assistant", "content": None, "tool_calls": asked})


def fails(status: int, message: str = "no", **headers: str) -> Answer:
    """A refusal as servers word it."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"error": {"message": message, "type": "test"}}, status, named)


def _completion(message: Json) -> Answer:
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return Answer({"object": "chat.completion", "choices": [choice], "usage": usage})


@dataclass
class Server:
    """The endpoint and what it heard.

    Attributes:
        turns: what it says at each turn of a conversation; the last one for ever.
        first: what it says before anything else, each once, whoever asks.
        reply: instead of both, an answer for each request.
    """

    turns: tuple[Answer, ...] = (says("done"),)
    first: list[Answer] = field(default_factory=list)
    reply: Callable[[Json], Answer] | None = None
    url: str = ""
    bodies: list[Json] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def answer(self, body: Json) -> Answer:
        """The next thing to say."""
        if self.first:
            return self.first.pop(0)
        if self.reply is not None:
            return self.reply(body)
        said = [m for m in body.get("messages", []) if m["role"] == "assistant"]
        return self.turns[min(len(said), len(self.turns) - 1)]

    def observations(self, conversation: int = -1) -> list[Any]:
        """What the model was told about its calls, in the conversation of one request."""
        told = [m for m in self.bodies[conversation]["messages"] if m["role"] == "tool"]
        return [json.loads(message["content"]) for message in told]


@contextmanager
def serving(*turns: Answer, **more: Any) -> Iterator[Server]:
    """A server that is up for as long as the block."""
    server = Server(turns or (says("done"),), **more)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            server.bodies.append(body)
            server.headers.append({key.lower(): value for key, value in self.headers.items()})
            server.paths.append(self.path)
            answer = server.answer(body)
            raw = (
                answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            )
            self.send_response(answer.status)
            for name, value in {"content-length": str(len(raw)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        listening.daemon_threads = True
        threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
        server.url = f"http://127.0.0.1:{listening.server_port}/v1"
        try:
            yield server
        finally:
            listening.shutdown()


def follows(*wanted: str, **known: str) -> Callable[[Json], Answer]:
    """A model that calls these tools, each as soon as it knows what the tool requires."""

    def reply(body: Json) -> Answer:
        values: Json = dict(known)
        done = set()
        for message in body["messages"]:
            done |= {call["function"]["name"] for call in message.get("tool_calls", [])}
            if message["role"] == "tool":
                values |= json.loads(message["content"])
        for tool in body["tools"]:
            said = tool["function"]
            needs = said["parameters"].get("required", [])
            if said["name"] in wanted and said["name"] not in done and set(needs) <= values.keys():
                return calls((said["name"], {name: values[name] for name in needs}))
        return says("It is done.")

    return reply
