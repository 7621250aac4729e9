"""Questions that arrive at a given rate, whether or not those before them were answered.

A client that waits for each answer slows down together with the service and never sees a queue.
Here every question has its moment, and its time is counted from that moment on.
"""

import json
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from benchmarks.speed.samples import Progress
from spm.registry.errors import InputError

AT_ONCE = 128  # questions under way; a service that is twice as far behind is lost anyway
NOBODY = 0  # the status of a question that was not answered at all


@dataclass(frozen=True)
class Heard:
    """What came of one question.

    Attributes:
        status: of HTTP; 0 where the connection failed.
        ms: from the moment it was due until the last byte.
        end: when that was, on the clock of `time.perf_counter`.
    """

    status: int
    ms: float
    end: float


@dataclass(frozen=True)
class Client:
    """Asks one service for menus; every question takes a connection of its own.

    So workers share them evenly, and no connection is used that the service closes just then.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 30.0

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{self.url!r} is no address. Give one like http://127.0.0.1:8321")

    def menu(self, request: str, due: float | None = None) -> Heard:
        """Ask for a menu that was due now or before."""
        begun = time.perf_counter() if due is None else due
        status = self.send("POST", "/v1/menus", json.dumps({"request": request}))[0]
        end = time.perf_counter()
        return Heard(status, 1000 * (end - begun), end)

    def send(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        """The status and body of an answer."""
        connection = self._connection()
        headers = {"Content-Type": "application/json", "Connection": "close", **self.headers}
        try:
            connection.request(method, urlsplit(self.url).path.rstrip("/") + path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, HTTPException) as error:
            return NOBODY, str(error).encode()
        finally:
            connection.close()

    def _connection(self) -> HTTPConnection:
        parts = urlsplit(self.url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=self.seconds)


def arrive(
    client: Client, requests: Iterable[str], rate: float, progress: Progress | None = None
) -> list[Heard]:
    """Ask each request at its moment, `rate` of them a second; returns when all are answered."""
    asked = list(requests)
    waiting = []
    begun = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        for number, request in enumerate(asked):
            due = begun + number / rate
            time.sleep(max(0.0, due - time.perf_counter()))
            waiting.append(threads.submit(client.menu, request, due))
            if progress:
                progress(number + 1, len(asked))
        return [one.result() for one in waiting]
