"""The public API over the demo."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import spm


@pytest.fixture
def shop_registry(shop_copy: Path) -> Iterator[spm.Registry]:
    """The demo as people open it; a test may change it."""
    with spm.open(shop_copy) as registry:
        yield registry


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[spm.Registry]:
    """A registry without tools."""
    with spm.open(tmp_path / "tools.spm") as registry:
        yield registry
