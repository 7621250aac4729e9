"""A real HTTP backend for the tests of forwarding: an API that notes every request it gets."""

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Api(ThreadingHTTPServer):
    """Answers what `replies` says for a path, and otherwise what was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, Any]] = []
        self.replies: dict[str, tuple[int, bytes]] = {}
        self.pause = 0.0  # seconds before every byte of an answer's body

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        api: Any = self.server
        length = int(self.headers.get("Content-Length") or 0)
        asked = {
            "method": self.command,
            "path": self.path,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": self.rfile.read(length).decode(),
        }
        api.requests.append(asked)
        echo = json.dumps({"order_id": "o1", "asked": asked["path"]}).encode()
        status, body = api.replies.get(self.path.partition("?")[0], (200, echo))
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", body.decode())
            body = b""
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not api.pause:
            self.wfile.write(body)
            return
        with contextlib.suppress(OSError):  # whoever asked has left
            for byte in body:
                time.sleep(api.pause)
                self.wfile.write(bytes([byte]))
                self.wfile.flush()

    do_POST = do_PUT = do_DELETE = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        """Tests are quiet."""


@contextmanager
def api() -> Iterator[Api]:
    """Run the API while the context lasts."""
    server = Api()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
