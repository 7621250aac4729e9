"""Who holds a word is counted by every write: after each of a life, as if counted from nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from spm.api.tools import Tools
from spm.registry.catalog import lifecycle
from spm.registry.models import Manifest
from spm.registry.registry import Registry
from tests.data.frontiers import Worded

pytestmark = pytest.mark.neo4j

ENCODER = Worded()


def manifest(*tools: dict[str, Any]) -> Manifest:
    return Manifest.model_validate({"spm": 1, "service": "shop", "tools": tools})


def counted(driver: Any) -> dict[tuple[Any, ...], int]:
    """What the graph says."""
    found = driver.execute_query(
        "MATCH (w:Term)-[h:HELD_BY]->(a:Audience) WHERE h.tools <> 0 "
        "RETURN a.visibility AS v, a.owner AS o, a.scopes AS s, a.effects = 'read' AS r, "
        "w.name AS w, h.tools AS n"
    ).records
    return {(row["v"], row["o"], *row["s"], row["r"], row["w"]): row["n"] for row in found}


def from_nothing(driver: Any) -> Counter[tuple[Any, ...]]:
    """What it should say, from the tools themselves."""
    found: Counter[tuple[Any, ...]] = Counter()
    asked = "MATCH (t:Tool {status: 'active'}) WHERE t.terms IS NOT NULL RETURN t"
    for (tool,) in driver.execute_query(asked).records:
        public = tool["visibility"] == "public"
        who = ("public" if public else "team", None if public else tool["owner"])
        scopes = sorted(tool["scopes"] or ())
        for term in set(tool["terms"].split()):
            found[(*who, *scopes, tool["effects"] == "read", term)] += 1
    return found


def test_counters_are_right_after_every_write(neo4j_bare: Any) -> None:
    find = {"name": "find_order", "description": "Find an order.", "effects": "read"}
    mail = {"name": "send_mail", "description": "Mail about an order.", "effects": "write"}
    with neo4j_bare.driver() as driver, Registry.open(neo4j_bare.settings()) as registry:
        tools = Tools(registry)
        writes = [
            lambda: registry.register(manifest(find, mail)),
            lambda: registry.encode(ENCODER),
            lambda: registry.register(manifest({**find, "description": "Look it up."}, mail)),
            lambda: registry.encode(ENCODER),
            lambda: tools.set_access("send_mail", owner="a", visibility="team"),
            lambda: tools.set_access("send_mail", scopes=["x"]),
            lambda: tools.set_effects("find_order", "write", by="me"),
            lambda: tools.set_effects("find_order", "destructive", by="me"),
            lambda: lifecycle.deprecate(registry.store, "find_order"),
            lambda: registry.remove("send_mail", force=True),
            lambda: registry.register(manifest(find, mail)),
            lambda: registry.encode(ENCODER),
        ]
        for number, write in enumerate(writes):
            write()
            assert counted(driver) == from_nothing(driver), number
        assert counted(driver)


def test_tools_of_an_earlier_spm_are_counted_by_the_first_write(neo4j_bare: Any) -> None:
    find = {"name": "find_order", "description": "Find an order.", "effects": "read"}
    with neo4j_bare.driver() as driver:
        with Registry.open(neo4j_bare.settings()) as registry:
            registry.register(manifest(find))
            registry.encode(ENCODER)
        expected = counted(driver)
        assert expected
        driver.execute_query("MATCH (n) WHERE n:Term OR n:Audience DETACH DELETE n")
        driver.execute_query("MATCH (t:Tool) SET t.audience = null")
        with Registry.open(neo4j_bare.settings()) as registry:
            registry.register(manifest(find, {"name": "other"}))  # which has no vector yet
        assert counted(driver) == expected
