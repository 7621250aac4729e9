"""Which tests run one after another in one worker, and which of these groups come first.

A group is a file, or all files that ask for the Neo4j of the session: it is started once, and its
caches stay warm. The mark `xdist_group` would say the same, but xdist 3.8 hands it on by changing
node ids, which pytest 9.2 does not allow any more (pytest-dev/pytest-xdist#1386). So `--dist
loadgroup` gets its groups here.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).resolve().parents[2]
SERVER = "neo4j"
ASKS = re.compile(r"\bneo4j_(?:server|empty|bare)\b")  # the fixtures, by name
# Long groups first: short files are what fills the last minute of both workers.
ORDER = (
    SERVER,
    "tests/stress/",
    "tests/e2e/",
    "tests/integration/",
    "tests/unit/gnn/",
    "tests/unit/evaluation/",
    "tests/unit/cli/",
    "",
)


def group(nodeid: str) -> str:
    """Of which group a test is, by its id: more is not known where work is handed out."""
    file = nodeid.partition("::")[0]
    return SERVER if _asks(file) else file


def rank(nodeid: str) -> int:
    """When a test's group is begun."""
    return next(place for place, start in enumerate(ORDER) if group(nodeid).startswith(start))


@cache
def _asks(file: str) -> bool:
    return ASKS.search((ROOT / file).read_text(encoding="utf-8")) is not None


class Groups(LoadScopeScheduling):
    """Hands out whole groups, in the order in which they were collected."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Groups | None:
    return Groups(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "neo4j_server" in getattr(item, "fixturenames", ()) and group(item.nodeid) != SERVER:
            raise pytest.UsageError(f"{item.nodeid} gets a server from elsewhere: name it there")
    # Stable, so that files stay whole; but a change of the schema makes the server forget all its
    # plans, which take seconds each: tests that begin without a schema come last.
    items.sort(
        key=lambda item: (rank(item.nodeid), "neo4j_bare" in getattr(item, "fixturenames", ()))
    )
