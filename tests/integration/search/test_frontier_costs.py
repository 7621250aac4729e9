"""What the frontier's queries cost on a server: bounded by the frontier, whatever else is there.

Database hits are counted by the server's own PROFILE and do not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.speed import generator
from spm.cypher import load
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.frontier import frontier as rule
from spm.registry.frontier.cypher_expansion import Expansion
from spm.registry.registry import Registry
from spm.registry.search.results import Probes
from tests.data.frontiers import Worded
from tests.support.campaigns import size

pytestmark = pytest.mark.neo4j

ENCODER = Worded()
FEW, TRACED = 500, 400  # tools of the small library; trajectories, all of them through these tools
TEAM = Caller("a")
WALK = {
    EVERYTHING: {
        "menu/neighbours",
        "menu/producers",
        "menu/candidates",
        "menu/order",
        "vectors/tool_vectors",
    },
    TEAM: {"menu/ways", "menu/producers", "menu/candidates", "vectors/tool_vectors"},
}
# Database hits of each query: a source has some six feeders and ten neighbours, a candidate a dozen
# fields and the tools before and after it. Each costs a handful of hits: the edge, its properties,
# and what decides who sees its end.
MOST = {
    "menu/neighbours": rule.SOURCES * 200,
    "menu/producers": rule.SOURCES * 200,
    "menu/candidates": rule.SIZE * 100,
    "menu/order": rule.SIZE * 300,
    "menu/ways": rule.SIZE * 1_500,
    "vectors/tool_vectors": rule.SIZE * 10,
}
NEVER = (
    "NodeByLabelScan",
    "AllNodesScan",
    "DirectedRelationshipTypeScan",
    "UndirectedRelationshipTypeScan",
    "CartesianProduct",
    "Eager",
)

Costs = dict[str, int]


def walked(registry: Registry, caller: Caller, monkeypatch: pytest.MonkeyPatch) -> Costs:
    """The database hits of each query of a few walks; none reads more than it has to."""
    store, asked = registry.store, []
    real = store.read

    def heard(name: str, /, **params: object) -> list[dict[str, Any]]:
        asked.append((name, params))
        return real(name, **params)

    expansion = Expansion(store)
    hits: Costs = {}
    for text in generator.requests(3):
        probes = Probes.of(text, ENCODER.encode_clauses([text])[0])
        look = expansion.look(probes, caller)
        with monkeypatch.context() as patch:
            patch.setattr(store, "read", heard)
            expansion.reach(probes, look, frozenset(), caller)
    for name, params in asked:
        found = store.explain(load(name).text, params, profile=True, timeout=60)
        used = {str(row["operator"]).strip(" +|").partition("@")[0] for row in found.rows}
        assert not used & {*NEVER}, (name, used)
        hits[name] = max(hits.get(name, 0), sum(row["db_hits"] or 0 for row in found.rows))
    return hits


@pytest.mark.campaign
def test_a_walk_costs_the_same_among_many_tools(
    neo4j_server: Any, empty: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty(neo4j_server)
    few: dict[Caller, Costs] = {}
    with Registry.open(neo4j_server.settings()) as registry:
        for tools in (FEW, size("many_tools")):
            for manifest in generator.manifests(tools):
                registry.register(manifest)
            if tools == FEW:
                registry.import_traces(generator.traces(FEW, TRACED))
            registry.encode(ENCODER)
            # The server of the tests keeps the plans that it made for other graphs, and on a busy
            # machine its samples of indexes too; one that serves takes new ones within seconds.
            with neo4j_server.driver() as driver:
                driver.execute_query("CALL db.prepareForReplanning(60)")
            for caller, walk in WALK.items():
                hits = walked(registry, caller, monkeypatch)
                assert hits.keys() == walk
                assert {n: hit for n, hit in hits.items() if hit > MOST[n]} == {}, (tools, hits)
                before = few.setdefault(caller, hits)
                # What is found differs a little; four times the tools are not even twice the hits.
                more = {n: (before[n], hit) for n, hit in hits.items() if hit > 2 * before[n] + 500}
                assert more == {}, (tools, caller)
                print(tools, caller, hits)
