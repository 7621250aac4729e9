"""Changing the encoder, on both engines: vectors of two encoders are never there together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spm.registry import encoding
from spm.registry.errors import EncoderMismatch
from spm.registry.models import Manifest, Trace
from spm.registry.registry import Registry


class Turned:
    """Every text in the same direction: the first axis of so many."""

    def __init__(self, name: str, dimensions: int) -> None:
        self.name, self.dimensions = name, dimensions

    def encode_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> Any:
        return np.tile(np.eye(1, self.dimensions, dtype=np.float32), (len(texts), 1))

    encode_requests = encode_documents


@pytest.fixture(params=["embedded", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def two(request: Any, tmp_path: Path, manifest: Any, trace: Any) -> Iterator[Registry]:
    """Two tools and a trajectory, encoded by `small`."""
    place: Any = str(tmp_path)
    if request.param == "neo4j":
        place = request.getfixturevalue("neo4j_empty").settings()
    with Registry.open(place) as registry:
        given: Manifest = manifest("s", a=([], ["x"]), b=(["x"], []))
        registry.register(given)
        seen: Trace = trace("a", "b")
        registry.import_traces([seen])
        registry.encode(Turned("small", 3))
        yield registry


@pytest.mark.parametrize("dimensions", [3, 5])
def test_another_encoder_begins_with_nothing_and_ends_with_all(
    two: Registry, dimensions: int
) -> None:
    other = Turned("other", dimensions)
    with pytest.raises(EncoderMismatch):
        two.encode(other)
    assert encoding.switch(two.store, other) == "small"
    row = other.encode_requests(["do it"])[0]
    for kind in encoding.KINDS:
        assert two.store.encoded(kind) == {}
        assert two.store.nearest(kind, row, 5) == []
    assert two.encode(other) == 3
    assert [node for node, _ in two.store.nearest("tool", row, 5)] == ["s/a", "s/b"]
    assert len(two.store.nearest("trajectory", row, 5)) == 1
    assert encoding.recorded(two.store) == "other"


def test_one_who_still_encodes_with_the_former_is_refused(two: Registry) -> None:
    class Overtaken(Turned):
        def encode_documents(
            self, texts: Sequence[str], progress: Callable[[int], None] | None = None
        ) -> Any:
            encoding.switch(two.store, Turned("other", 5))  # somebody else, at this moment
            return super().encode_documents(texts)

    two.store.forget_vectors("small")
    with pytest.raises(EncoderMismatch, match="made by 'other', not by 'small'"):
        two.encode(Overtaken("small", 3))
    assert two.store.encoded("tool") == {}
    assert two.encode(Turned("other", 5)) == 3
