"""A real Neo4j for the tests that ask for one: a given one, else a container, else one from jars.

Whatever SPM_TEST_NEO4J_URI names is emptied by the tests: never point it at data you want to keep.
SPM_NEO4J_VERSION chooses another version of the other two.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import socket
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    import neo4j

    from spm.registry.settings import Settings

PASSWORD = "spm-test-password"
# The graph is emptied and filled so often that plans would always be those of another graph. To
# make them takes seconds each, which is most of what these tests take.
KEEP_PLANS = (
    "dbms.cypher.min_replan_interval=1d",
    "dbms.cypher.statistics_divergence_threshold=1.0",
)
CYPHER_25 = "db.query.default_language=CYPHER_25"
LAUNCHER = Path(__file__).resolve().parents[2] / "docker" / "server.py"


@dataclass(frozen=True)
class Neo4j:
    """How to reach the server under test."""

    uri: str
    username: str
    password: str
    server: Any = None  # the LocalServer of docker/server.py, where that is what runs

    def driver(self) -> neo4j.Driver:
        import neo4j

        return neo4j.GraphDatabase.driver(self.uri, auth=(self.username, self.password))

    def settings(self, uri: str | None = None, **other: Any) -> Settings:
        """What opens a store on this server, or on a proxy in front of it."""
        from spm.registry.settings import Settings

        known = {"neo4j_username": self.username, "neo4j_password": self.password}
        return Settings(uri or self.uri, **(known | other))


class Absent(Exception):
    """One of the three ways to a server is closed here; the message says why."""


def pytest_report_header() -> str:
    started = f"docker/server.py, {_launcher().wanted()}"
    image = f"{_image()}, or where it cannot be started {started}"
    for name, check in (("SPM_TEST_NEO4J_URI", _given_uri), (image, _ping_docker)):
        with contextlib.suppress(Absent):
            check()
            return f"neo4j: {name}"
    return f"neo4j: {started}"


@pytest.fixture(scope="session")
def launcher() -> ModuleType:
    return _launcher()


@cache
def _launcher() -> ModuleType:
    # By path: docker/ is no package, and its name belongs to the Docker client library.
    spec = importlib.util.spec_from_file_location("spm_neo4j_launcher", LAUNCHER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def neo4j_server(launcher: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4j]:
    home = tmp_path_factory.mktemp("neo4j")
    with contextlib.ExitStack() as stack:
        yield _first_open(stack, _given(), _container(), _local(launcher, home, *KEEP_PLANS))


@pytest.fixture(scope="module")
def neo4j_calendar(
    launcher: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Neo4j]:
    """The newest Neo4j, where a query that names no language is Cypher 25; it needs Java 21."""
    version = launcher.named("calendar")
    way = _local(launcher, tmp_path_factory.mktemp("calendar"), CYPHER_25, version=version)
    with contextlib.ExitStack() as stack:
        try:
            server = stack.enter_context(way)
        except Absent as absent:  # also where SPM_REQUIRE_NEO4J asks for a server: not for this one
            pytest.skip(str(absent))
        yield server


@pytest.fixture(scope="session")
def wipe() -> Callable[[Neo4j], None]:
    """Leaves neither nodes nor schema."""
    return _wipe


@pytest.fixture(scope="session")
def empty() -> Callable[[Neo4j], None]:
    """Leaves no nodes; see `neo4j_empty`."""
    return _remove_nodes


@pytest.fixture
def neo4j_bare(neo4j_server: Neo4j) -> Neo4j:
    """A server that nobody wrote to: no node and no schema."""
    _wipe(neo4j_server)
    return neo4j_server


@pytest.fixture
def neo4j_empty(neo4j_server: Neo4j) -> Neo4j:
    """A server without a node, but maybe with indexes.

    To make these anew takes longer than most tests, and the server forgets all plans. The ledger of
    the schema is gone with the nodes, so whoever opens a store still applies all of it.
    """
    _remove_nodes(neo4j_server)
    return neo4j_server


def _first_open(stack: contextlib.ExitStack, *ways: AbstractContextManager[Neo4j]) -> Neo4j:
    reasons = []
    for way in ways:
        try:
            return stack.enter_context(way)
        except Absent as absent:
            reasons.append(str(absent))
    _give_up("No Neo4j to test against. " + " ".join(reasons))


def _give_up(message: str) -> NoReturn:
    if os.environ.get("SPM_REQUIRE_NEO4J") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def _given_uri() -> str:
    uri = os.environ.get("SPM_TEST_NEO4J_URI")
    if not uri:
        raise Absent("SPM_TEST_NEO4J_URI is not set.")
    return uri


@contextlib.contextmanager
def _given() -> Iterator[Neo4j]:
    uri = _given_uri()
    username = os.environ.get("SPM_TEST_NEO4J_USERNAME", "neo4j")
    yield Neo4j(uri, username, os.environ.get("SPM_TEST_NEO4J_PASSWORD", ""))


@contextlib.contextmanager
def _container() -> Iterator[Neo4j]:
    _ping_docker()
    with contextlib.ExitStack() as stack:
        try:
            container = _started(stack)
        # The engine answers, and yet nothing can be pulled, or what was pulled does not run here.
        except Exception as error:
            raise Absent(
                f"A Docker engine answers, but {_image()} does not run ({error})."
            ) from error
        yield Neo4j(container.get_connection_url(), "neo4j", PASSWORD)


def _started(stack: contextlib.ExitStack) -> Any:
    """A container that runs; the stack removes it, also one that was created and did not start."""
    with warnings.catch_warnings():
        # The library's own deprecations differ from version to version and are not ours to mend.
        warnings.simplefilter("ignore", DeprecationWarning)
        container = _container_class()(_image(), password=PASSWORD, username="neo4j")
        stack.callback(container.stop)
        container.start()
    return container


def _container_class() -> Any:
    for place in ("testcontainers.community.neo4j", "testcontainers.neo4j"):  # new, old
        with contextlib.suppress(ImportError):
            return importlib.import_module(place).Neo4jContainer
    raise Absent("A Docker engine answers, but testcontainers is not installed.")


def _image() -> str:
    """The image of the version asked for; of the long-term line the newest one."""
    version = _launcher().wanted()
    return f"neo4j:{'5.26' if version.startswith('5.26.') else version}-community"


def _ping_docker() -> None:
    # Not docker.from_env(): it leaves a socket open on failure, and warnings are errors here.
    host = urlsplit(os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock")
    try:
        with _connect(host.path, host.hostname, host.port) as connection:
            connection.sendall(b"GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n")
            answer = connection.recv(64)
    except OSError as error:
        raise Absent(f"No Docker engine answers ({error.strerror or error}).") from error
    if b" 200 " not in answer:
        raise Absent("What answers at the Docker address is no engine.")


def _connect(path: str, hostname: str | None, port: int | None) -> socket.socket:
    if hostname:
        return socket.create_connection((hostname, port or 2375), timeout=3)
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(3)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def _local(
    launcher: ModuleType, home: Path, *settings: str, version: str | None = None
) -> Iterator[Neo4j]:
    server = launcher.LocalServer(home, PASSWORD, None, *settings, version=version)
    try:
        server.start()
    except launcher.ServerUnavailable as unavailable:
        raise Absent(str(unavailable)) from unavailable
    try:
        yield Neo4j(server.uri, "neo4j", PASSWORD, server)
    finally:
        server.stop()


def _wipe(server: Neo4j) -> None:
    with server.driver() as driver, driver.session() as session:
        _drop_schema(session)
    _remove_nodes(server)


def _remove_nodes(server: Neo4j) -> None:
    with server.driver() as driver, driver.session() as session:
        # In batches: one transaction over a large graph would not fit the small heap.
        statement = "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 500 ROWS"
        session.run(statement).consume()


def _drop_schema(session: neo4j.Session) -> None:
    # Constraints first: they own indexes. Lookup indexes are Neo4j's own and stay.
    listed = session.run("SHOW CONSTRAINTS YIELD name").value("name")
    _drop_each(session, "CONSTRAINT", listed)
    listed = session.run("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'").value("name")
    _drop_each(session, "INDEX", listed)


def _drop_each(session: neo4j.Session, kind: str, names: list[str]) -> None:
    for name in names:
        quoted = name.replace("`", "``")
        session.run(f"DROP {kind} `{quoted}`").consume()
