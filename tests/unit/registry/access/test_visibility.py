"""What a caller may not see changes not a byte of any answer; see `tests.data.visibility`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spm.registry.access.caller import Caller
from spm.registry.registry import Registry
from tests.data.visibility import (
    CALLERS,
    KINDS,
    RIGHTS,
    case_of,
    check_case,
    check_rule,
    embedded,
)


@settings(max_examples=15)
@given(st.lists(RIGHTS, min_size=1, max_size=30), st.lists(CALLERS, min_size=1, max_size=12))
def test_cypher_the_rule_and_the_mask_agree(
    rights: list[dict[str, Any]], callers: list[Caller]
) -> None:
    with tempfile.TemporaryDirectory() as folder, Registry.open(folder) as registry:
        check_rule(registry, rights, callers)


@pytest.mark.parametrize(
    ("kind", "seed"), [("team", 1), ("scoped", 2), ("reader", 3), ("all", 4), ("all", 5)]
)
def test_what_is_hidden_changes_no_byte_of_any_answer(
    kind: str, seed: int, tmp_path: Path, encoder: Any
) -> None:
    check_case(embedded(tmp_path / "store"), case_of(KINDS[kind], seed), encoder)
