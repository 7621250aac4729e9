"""A text is encoded once per run: the same few hundred texts of the demo are in most tests."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spm.gnn.encoders.minilm import MiniLM

# A vector depends on its text alone, to the last bit; tests of the encoder hold it to that.
_KNOWN: dict[str, Any] = {}
_compute = MiniLM._vector


def _remembered(self: MiniLM, text: str) -> Any:
    if text not in _KNOWN:
        _KNOWN[text] = _compute(self, text)
    return _KNOWN[text]


def keep(file: Path) -> None:
    """Write down all that is known, for another worker."""
    np.savez(file, texts=np.array([*_KNOWN]), rows=np.stack([*_KNOWN.values()]))


def learn(file: Path) -> None:
    """Take over what another worker wrote down."""
    with np.load(file, allow_pickle=False) as found:
        _KNOWN.update(zip(found["texts"].tolist(), found["rows"], strict=True))


@pytest.fixture(scope="session", autouse=True)
def _remember() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MiniLM, "_vector", _remembered)
        yield


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of the encoder itself: nothing is remembered."""
    monkeypatch.setattr(MiniLM, "_vector", _compute)
