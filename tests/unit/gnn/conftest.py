"""Frontiers that nobody would think of, and a machine that is not taken over."""

import os
from collections.abc import Callable

# One thread: on a busy machine several wait for each other, and sums keep their order.
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import pytest

from spm.registry.frontier.frontier import Floats, Frontier, Memory, name_overlap

Builder = Callable[[int, int, int, int], Frontier]
WORDS = ("get", "send", "order", "receipt", "customer", "list")
LONG = 80  # more dimensions than the networks look at


def random_frontier(seed: int, tools: int, fields: int, memories: int) -> Frontier:
    """A frontier with ties, gaps, negative cosines, old counts and tools that nobody used."""
    rng = np.random.default_rng([seed, tools, fields, memories])
    vectors, request = _unit(rng.normal(size=(tools, LONG))), _unit(rng.normal(size=LONG))
    parts = 1 if seed % 5 == 4 else 2 + seed % 3
    frequency = rng.integers(0, 20, tools) * (rng.random(tools) < 0.7)
    return Frontier(
        tools=[f"tool{at:02}" for at in range(tools)],
        similarity=np.round(vectors @ request, 1),  # rounded: some are equal, some 0
        lexical=_some(rng, tools, 9.0),
        vectors=vectors,
        request=request,
        family=rng.integers(-1, 3, tools),
        service=rng.integers(0, 3, tools),
        words=name_overlap(
            [frozenset(rng.choice(WORDS, rng.integers(0, 4)).tolist()) for _ in range(tools)]
        ),
        takes=_marks(rng, (tools, fields), 0.35),
        gives=_marks(rng, (tools, fields), 0.35),
        given=_marks(rng, (fields,), 0.3),
        frequency=frequency.astype(np.float32),
        entry=np.floor(frequency * rng.random(tools)).astype(np.float32),
        precedes=_counts(rng, tools) * np.float32(0.5),  # decayed: no whole numbers
        before=_counts(rng, tools),
        memory=_memory(rng, tools, memories),
        fields=[f"field{at}" for at in range(fields)],
        anchors=4,
        fused=np.round(_some(rng, tools, 0.033), 3),
        clauses=np.round(rng.uniform(-0.2, 1, (tools, parts)), 1).astype(np.float32),
        clause_lexical=np.stack([_some(rng, tools, 9.0) for _ in range(parts)], axis=1),
    )


def _unit(vectors: np.ndarray) -> Floats:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / lengths, dtype=np.float32)


def _some(rng: np.random.Generator, size: int, highest: float) -> Floats:
    """Numbers of which a third are 0."""
    return (rng.random(size) * highest * (rng.random(size) > 0.33)).astype(np.float32)


def _marks(rng: np.random.Generator, shape: tuple[int, ...], share: float) -> Floats:
    return (rng.random(shape) < share).astype(np.float32)


def _counts(rng: np.random.Generator, size: int) -> Floats:
    counts = rng.integers(1, 6, (size, size)) * (rng.random((size, size)) < 0.25)
    np.fill_diagonal(counts, 0)
    return counts.astype(np.float32)


def _memory(rng: np.random.Generator, tools: int, memories: int) -> Memory:
    """Trajectories that also use tools outside the frontier, which leave gaps in the places."""
    steps = []
    for row in range(memories):
        path = rng.permutation(tools + 3)[: rng.integers(1, 6)].tolist()
        steps += [(row, tool, at, len(path)) for at, tool in enumerate(path) if tool < tools]
    return Memory(
        ids=[f"trace{row}" for row in range(memories)],
        similarity=np.sort(rng.uniform(-0.1, 1, memories))[::-1].astype(np.float32),
        lexical=_some(rng, memories, 12.0),
        steps=np.array(steps, dtype=np.int64).reshape(-1, 4),
    )


@pytest.fixture(scope="session", name="random_frontier")
def _random_frontier() -> Builder:
    return random_frontier
