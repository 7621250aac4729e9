"""The map of a server's store that an earlier spm wrote: made by the first writer, or by two."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from spm.registry.importers.detection import read_source
from spm.registry.map.map_rows import RULES
from spm.registry.map_renewal import services_behind
from spm.registry.models import Manifest
from spm.registry.registry import Registry
from tests.support.feeding import edges, wrong_edges
from tests.support.resource_registries import resource_manifests

pytestmark = pytest.mark.neo4j

SHOP = Path(__file__).parents[2] / "data" / "formats" / "openapi" / "shop-3.0.yaml"
# As before there were resources: no node, no edge and no mark of the map.
FORGET = (
    "MATCH (r:Resource) DETACH DELETE r",
    "MATCH (:Tool)-[e:FEEDS]->(:Tool) DELETE e",
    "MATCH (:Tool)-[e:REQUIRES|ACCEPTS]->(:Field) SET e.resource = null, e.role = null",
    "MATCH (s:Service) SET s.map = null",
)


def fill(server: Any) -> tuple[dict[Any, Any], list[str]]:
    """A store without its map; the edges that it had, and its services."""
    with Registry.open(server.settings()) as registry:
        for manifest in resource_manifests(3):
            registry.register(manifest)
        registry.add(read_source(str(SHOP)))
        had = edges(registry.store)
        services = [row["service"] for row in registry.store.read("map/marks")]
    with server.driver() as driver:
        for text in FORGET:
            driver.execute_query(text)
    return had, services


def other(name: str) -> Manifest:
    return Manifest.model_validate({"spm": 1, "service": name, "tools": [{"name": f"wait_{name}"}]})


def test_two_writers_at_once_make_one_map(neo4j_empty: Any) -> None:
    had, services = fill(neo4j_empty)
    names = ["first", "second"]

    def write(name: str) -> None:
        with Registry.open(neo4j_empty.settings()) as registry:
            registry.register(other(name))

    with Registry.open(neo4j_empty.settings()) as reader:
        revision = reader.status()["revision"]
        assert services_behind(reader.store) == services
        assert reader.tools()
        assert reader.status()["revision"] == revision, "reading writes nothing"
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(write, names))
        assert services_behind(reader.store) == []
        assert wrong_edges(reader.store) == {}
        found = edges(reader.store)
        marks = {row["service"]: row["map"] for row in reader.store.read("map/marks")}
    by_names = {name for name, mark in marks.items() if mark == f"{RULES} names"}
    assert by_names == {"north", "south", *names}
    assert {marks[name] for name in services if name not in by_names} == {f"{RULES} definitions"}
    for ends, row in had.items():  # of a document nearly all, of names all
        if ends[1].partition("/")[0] in by_names:
            assert found[ends] == row
