"""Running the application under uvicorn: one process, or several that share a socket."""

import os
import socket
from tempfile import TemporaryDirectory

import uvicorn
from uvicorn.supervisors import Multiprocess

from spm.registry.errors import InputError
from spm.service.metrics import FILES
from spm.service.settings import ServiceSettings

FACTORY = "spm.service.app:from_settings"
BACKLOG = 2_048
KEEP_ALIVE = 5  # seconds
GRACE = 5  # seconds beyond the longest time limit, until a stop no longer waits


def bind(settings: ServiceSettings) -> socket.socket:
    """Take the address, so that connections wait from now on; port 0 takes a free one.

    Raises:
        InputError: it cannot be taken.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    bound = socket.socket(family)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((settings.host, settings.port))
        bound.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        bound.close()
        raise InputError(
            f"Cannot listen at {settings.host!r}, port {settings.port}: {error}. "
            "Choose others with --host and --port; port 0 takes a free one."
        ) from error
    bound.set_inheritable(True)
    return bound


def url(settings: ServiceSettings, bound: socket.socket) -> str:
    """Where the service answers."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{bound.getsockname()[1]}"


def run(settings: ServiceSettings, bound: socket.socket) -> None:
    """Serve until a signal asks to stop. A worker that dies is replaced."""
    os.environ.update(settings.environment())
    config = uvicorn.Config(
        FACTORY,
        factory=True,
        workers=settings.workers,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,  # the service writes lines of its own
        server_header=False,
        proxy_headers=False,  # who is on the loopback is decided in `callers`
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(settings.longest_seconds) + GRACE,
    )
    if settings.workers == 1:
        uvicorn.Server(config).run(sockets=[bound])
        return
    with TemporaryDirectory(prefix="spm-metrics-") as files:
        os.environ[FILES] = files  # where the workers add up their numbers
        Multiprocess(config, sockets=[bound]).run()
