"""Real servers on the loopback: the application under uvicorn, in a thread of the test."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from spm.service.app import create_app
from spm.service.settings import ServiceSettings
from spm.service.state import Service


class Visitor(httpx.Client):
    """A client that also lets tests look behind the door."""

    service: Service
    server: uvicorn.Server

    def settle(self) -> None:
        """Wait until nothing is under way: an answer is out before it has been told of."""
        deadline = time.monotonic() + 60
        while self.server.server_state.tasks:
            assert time.monotonic() < deadline, "the server is still busy"
            time.sleep(0.001)


@contextmanager
def serving(service: Service) -> Iterator[Visitor]:
    """A client of a server that runs until the end of the block."""
    config = uvicorn.Config(
        create_app(service),
        port=0,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        lifespan="on",
        ws="none",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    with Visitor(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        client.service, client.server = service, server
        client.get("/readyz")  # until the first menu is over
        yield client
    server.should_exit = True
    thread.join(60)
    assert not thread.is_alive()


@pytest.fixture
def serve(demo_folder: Path) -> Iterator[Callable[..., Visitor]]:
    """Start a server on the demo, or on the store and with the settings given."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(store: Path | str = demo_folder, **settings: Any) -> Visitor:
            service = Service(ServiceSettings(store=str(store), **settings))
            return stack.enter_context(serving(service))

        yield start


@pytest.fixture(scope="module")
def client(demo_folder: Path) -> Iterator[Visitor]:
    """A server on the demo, without a token."""
    with serving(Service(ServiceSettings(store=str(demo_folder)))) as opened:
        yield opened
