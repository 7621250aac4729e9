"""The settings of a service; workers get them through their environment."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace

from spm.registry.calling.backends import ENVIRONMENT as BACKENDS
from spm.registry.settings import Settings, settings

ENVIRONMENT = "SPM_SERVE"
PORT = 8321
INTAKE = 6  # times as long as a question
# A person at a keyboard waits half a minute for a database; a client of a service repeats instead.
CONNECT_SECONDS, RETRY_SECONDS = 2.0, 5.0


@dataclass(frozen=True)
class ServiceSettings:
    """How to serve.

    Attributes:
        store: as `--store` of every command.
        threads: questions that are worked on at once, of each worker.
        queue: questions that may wait besides; more are sent away with 429.
        seconds: the longest that a question takes; intake gets six times as long.
        body_bytes: the largest body; `intake_bytes` that of traces and golden requests.
        trust_proxy: a proxy stands in front, and the last address in X-Forwarded-For is the
            client's. Everybody then needs a token.
        require_token: also on the loopback.
        hosts: names besides those of the loopback under which clients without a token may ask.
        drain_seconds: how long /readyz says no before the service stops to listen.
        report: the HTML file of an evaluation, shown at /report.
        backends: the file that says who runs the tools of frozen menus.
    """

    store: str | None = None
    host: str = "127.0.0.1"
    port: int = PORT
    workers: int = 1
    threads: int = 4
    queue: int = 64
    seconds: float = 10.0
    body_bytes: int = 1_000_000
    intake_bytes: int = 32_000_000
    trust_proxy: bool = False
    require_token: bool = False
    hosts: tuple[str, ...] = ()
    drain_seconds: float = 0.5
    report: str | None = None
    backends: str | None = None

    @property
    def backends_file(self) -> str | None:
        """Where it says who runs tools: as set, else as the environment says."""
        return self.backends or os.environ.get(BACKENDS)

    @property
    def longest_seconds(self) -> float:
        """The time limit of what takes long: traces, and replaying golden requests."""
        return INTAKE * self.seconds

    def environment(self) -> dict[str, str]:
        """What `from_environment` reads again."""
        return {ENVIRONMENT: json.dumps(asdict(self))}

    def stored(self) -> Settings:
        """The store, with the patience of a service."""
        return replace(
            settings(self.store), connect_seconds=CONNECT_SECONDS, retry_seconds=RETRY_SECONDS
        )


def from_environment(environment: Mapping[str, str] = os.environ) -> ServiceSettings:
    """The settings that the process which started the workers wrote down."""
    told = json.loads(environment.get(ENVIRONMENT) or "{}")
    known = {field.name for field in fields(ServiceSettings)}
    given = {name: value for name, value in told.items() if name in known}
    return ServiceSettings(**{**given, "hosts": tuple(given.get("hosts", ()))})
