"""What a caller may not see changes not a byte of any answer, on a server; see the unit test."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from spm.registry.access.caller import Caller
from spm.registry.registry import Registry
from tests.data.visibility import KINDS, OWNERS, SCOPES, Place, case_of, check_case, check_rule
from tests.support.campaigns import size

pytestmark = pytest.mark.neo4j


def test_cypher_the_rule_and_the_mask_agree(neo4j_empty: Any) -> None:
    rng = random.Random(7)
    rights = [
        {
            "visibility": rng.choice(["public", "team", "private"]),
            "owner": rng.choice(OWNERS),
            "scopes": rng.sample(SCOPES, rng.randint(0, 3)),
            "effects": rng.choice(["read", "write", "destructive"]),
            "status": rng.choice(["active"] * 4 + ["deprecated", "quarantined"]),
        }
        for _ in range(80)
    ]
    callers = [
        Caller(
            rng.choice([None, *OWNERS, "nobody"]),
            rng.choice([None, tuple(rng.sample([*SCOPES, "z"], rng.randint(0, 3)))]),
            rng.random() < 0.5,
        )
        for _ in range(25)
    ]
    with Registry.open(neo4j_empty.settings()) as registry:
        check_rule(registry, rights, callers)


@pytest.mark.campaign
@pytest.mark.parametrize(("kind", "seed"), [("all", 6 + n) for n in range(size("hidden_seeds"))])
def test_what_is_hidden_changes_no_byte_of_any_answer(
    kind: str,
    seed: int,
    neo4j_empty: Any,
    tmp_path: Path,
    encoder: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # where snapshots of servers lie
    monkeypatch.setenv("NEO4J_USERNAME", neo4j_empty.username)
    monkeypatch.setenv("NEO4J_PASSWORD", neo4j_empty.password)
    place = Place(neo4j_empty.settings(), neo4j_empty.uri)
    check_case(place, case_of(KINDS[kind], seed), encoder)
