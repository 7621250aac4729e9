"""Where an engine answers and the image does not come, the tests go on to the jars."""

import contextlib

import pytest

from tests.support import neo4j_server
from tests.support.neo4j_server import Absent, Neo4j

JARS = Neo4j("bolt://jars", "neo4j", "")


@pytest.fixture
def containers(monkeypatch):
    """An engine that answers; returns what becomes of containers, and how they start."""
    events = []

    class Container:
        error = None

        def __init__(self, image, **login):
            events.append(f"made {image}")

        def start(self):
            events.append("started")
            if self.error:
                raise self.error

        def get_connection_url(self):
            return "bolt://container"

        def stop(self):
            events.append("removed")

    monkeypatch.setattr(neo4j_server, "_ping_docker", lambda: None)
    monkeypatch.setattr(neo4j_server, "_container_class", lambda: Container)
    return events, Container


@contextlib.contextmanager
def jars():
    yield JARS


def test_a_container_is_removed_at_the_end(containers):
    events, _ = containers
    with contextlib.ExitStack() as stack:
        found = neo4j_server._first_open(stack, neo4j_server._container(), jars())
        assert found.uri == "bolt://container"
        assert events == [f"made {neo4j_server._image()}", "started"]
    assert events[2:] == ["removed"]


def test_an_image_that_cannot_be_pulled_leaves_the_jars_and_no_container(containers):
    from docker.errors import APIError

    events, container = containers
    container.error = APIError("pull access denied")
    with contextlib.ExitStack() as stack:
        assert neo4j_server._first_open(stack, neo4j_server._container(), jars()) == JARS
        assert events[1:] == ["started", "removed"]
    with pytest.raises(Absent, match="pull access denied"), neo4j_server._container():
        pass


def test_a_test_that_fails_is_no_reason_to_start_another_server(containers):
    events, _ = containers
    stack = contextlib.ExitStack()
    neo4j_server._first_open(stack, neo4j_server._container(), jars())
    error = ZeroDivisionError()
    # False: the error goes on as it is, and is not taken for a container that did not start.
    assert stack.__exit__(ZeroDivisionError, error, None) is False
    assert events[1:] == ["started", "removed"]
