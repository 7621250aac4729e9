"""FEEDS after every kind of write, in random order, on both engines: always what it should be."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from spm.registry.access.caller import Caller
from spm.registry.access.rules import visible_tools
from spm.registry.exchange import export_registry, import_registry
from spm.registry.registry import Registry
from spm.registry.settings import Settings
from tests.support.campaigns import size
from tests.support.feeding import edges, wrong_edges
from tests.support.feeding_walks import walk

CALLERS = (Caller("a"), Caller("b", ("x",)), Caller(scopes=("y",)), Caller("a", ("x",), True),
           Caller(read_only=True))  # fmt: skip


@pytest.fixture(params=["embedded", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """A new, empty store for each life."""

    def new() -> Iterator[Settings]:
        number = 0
        while True:
            number += 1
            if request.param == "embedded":
                yield Settings(str(tmp_path / f"store-{number}"))
            else:
                server = request.getfixturevalue("neo4j_server")
                request.getfixturevalue("empty")(server)
                yield server.settings()

    return new()


@pytest.mark.campaign
def test_after_every_write_feeds_is_as_if_made_anew(
    places: Iterator[Settings], tmp_path: Path
) -> None:
    seen = 0
    for seed in range(size("feeding_walks")):
        with Registry.open(next(places)) as registry:
            done = []
            for said, step in walk(seed):
                step(registry)
                done.append(said)
                wrong = wrong_edges(registry.store)
                assert wrong == {}, f"seed {seed}, after:\n" + "\n".join(done)
            there = edges(registry.store)
            seen += len(there)
            export_registry(registry.store, tmp_path / f"{seed}.jsonl")
        with Registry.open(str(tmp_path / f"imported-{seed}")) as copy:
            import_registry(copy.store, tmp_path / f"{seed}.jsonl")
            assert edges(copy.store) == there
    assert seen, "or there was nothing to keep right"


@pytest.mark.campaign
def test_what_a_caller_does_not_see_changes_no_edge_that_it_sees(
    places: Iterator[Settings],
) -> None:
    """Remove all that is hidden: between the tools that are seen every edge is as it was."""
    seen = gone = 0
    for seed in range(2 * 8 * size("feeding_walks")):
        with Registry.open(next(places)) as registry:
            for _, step in walk(seed, 8):
                step(registry)
            tools = [row["id"] for row in registry.tools()]
            shown = {*visible_tools(registry.store, tools, CALLERS[seed % len(CALLERS)])}
            before = {ends: row for ends, row in edges(registry.store).items() if shown >= {*ends}}
            for tool in sorted({*tools} - shown):
                registry.remove(tool, force=True)
                gone += 1
            assert edges(registry.store) == before, seed
            seen += len(before)
    assert seen, "or there was nothing to keep"
    assert gone, "or nothing was hidden"
