"""How long a search takes does not tell a caller what hidden tools are about.

Two questions alike in all that the caller sees; for one of them hundreds of hidden tools would come
first. They are asked in turns, so that whatever else the machine does slows both alike, and only
the order of the times counts, never how long they are.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spm.registry.access.caller import Caller
from spm.registry.frontier.cypher_expansion import Expansion
from spm.registry.models import Manifest
from spm.registry.registry import Registry
from spm.registry.search import neo4j_search
from spm.registry.search.results import Probes
from spm.registry.settings import Settings
from tests.data.frontiers import Worded
from tests.support.campaigns import size

CALLER, ENCODER = Caller("a"), Worded()
SPOKEN, SILENT = "invoice", "receipt"  # hidden tools speak of the first
SHOWN, HIDDEN = 30, 400  # tools about each that the caller sees, and tools that it does not see
# Standard deviations of the rank sum. By chance one attempt in a billion is so far off, and all
# attempts have to be, the same way.
STRICT, ATTEMPTS = 6.0, 3


def fill(registry: Registry) -> None:
    tools = [_tool(f"{noun}_{at}", noun) for noun in (SPOKEN, SILENT) for at in range(SHOWN)]
    hidden = [_tool(f"secret_{at}", SPOKEN, visibility="team", owner="b") for at in range(HIDDEN)]
    for service, found in (("shop", tools), ("other", hidden)):
        registry.register(Manifest.model_validate({"spm": 1, "service": service, "tools": found}))
    registry.encode(ENCODER)


def _tool(name: str, noun: str, **more: Any) -> dict[str, Any]:
    ends = {"inputs": [{"name": f"{noun}_id"}], "outputs": [{"name": f"{noun}_total"}]}
    return {"name": name, "description": f"Send the {noun} to the customer", **ends, **more}


def far_apart(registry: Registry) -> float:
    """How far the times of both questions are apart, in standard deviations of the rank sum."""
    expansion = Expansion(registry.store)
    probes = {}
    for noun in (SPOKEN, SILENT):
        text = f"send the {noun} to the customer"
        probes[noun] = Probes.of(text, ENCODER.encode_clauses([text])[0])
    taken: dict[str, list[float]] = {SPOKEN: [], SILENT: []}
    count = size("timed_searches")
    for turn in range(count + 3):
        for noun in (SPOKEN, SILENT)[:: 1 if turn % 2 else -1]:
            start = time.perf_counter()
            expansion.frontier(probes[noun], caller=CALLER)
            if turn >= 3:  # before, plans and caches are made
                taken[noun].append(time.perf_counter() - start)
    ranks = np.argsort(np.argsort(taken[SPOKEN] + taken[SILENT])) + 1.0
    mean, spread = count * (2 * count + 1) / 2, np.sqrt(count * count * (2 * count + 1) / 12)
    return float((ranks[:count].sum() - mean) / spread)


def check(registry: Registry) -> None:
    found = []
    for _ in range(ATTEMPTS):
        found.append(far_apart(registry))
        if abs(found[-1]) < STRICT or found[0] * found[-1] < 0:
            return
    raise AssertionError(f"what is hidden shows in the time: {found}")


@pytest.mark.campaign
def test_time_tells_nothing_on_the_embedded_engine(tmp_path: Path) -> None:
    with Registry.open(Settings(str(tmp_path))) as registry:
        fill(registry)
        check(registry)


@pytest.mark.campaign
@pytest.mark.neo4j
@pytest.mark.parametrize("after", [1_000_000, 0], ids=["index", "vectors that are kept"])
def test_time_tells_nothing_on_a_server(
    after: int, neo4j_empty: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neo4j_search, "REMEMBER_AFTER", after)
    with Registry.open(neo4j_empty.settings()) as registry:
        fill(registry)
        check(registry)


def test_a_difference_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if what hidden tools speak of were read one by one.

    Times as a clock of the test gives them: on a busy machine real ones jump by more.
    """
    with Registry.open(Settings(str(tmp_path))) as registry:
        fill(registry)
        real, now = Expansion.frontier, [0.0]
        chance = np.random.default_rng(0)

        def telling(self: Expansion, probes: Probes, **more: Any) -> Any:
            spoken = any(SPOKEN.startswith(term) for term in probes.terms[0])
            now[0] += chance.uniform(2.0, 4.0) if spoken else chance.uniform(0.5, 1.5)
            return real(self, probes, **more)

        monkeypatch.setattr(Expansion, "frontier", telling)
        monkeypatch.setattr(time, "perf_counter", lambda: now[0])
        with pytest.raises(AssertionError, match="shows in the time"):
            check(registry)
