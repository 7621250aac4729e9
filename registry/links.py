"""Suggesting that two differently named fields are the same, with a confidence and reasons.

Four kinds of evidence: the names share words, the types agree, the descriptions are alike, and
one tool that gives the first was observed right before a tool that takes the second. A person
decides: `spm fields merge` writes the reviewed edge.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spm.registry.declaration import field_name
from spm.registry.errors import InputError, UnknownField
from spm.registry.fields import GENERIC, canonical, is_control
from spm.registry.naming import nearest, words
from spm.registry.store import Row, Store, Transaction, Vector, now
from spm.registry.tools import definitions

# The best balanced of seven weightings on the flows of NESTFUL's train episodes. The held-out flows
# were printed beside them, so no figure on NESTFUL is a clean test of this choice.
WEIGHTS = {"name": 0.3, "description": 0.3, "flow": 0.3, "type": 0.1}
MINIMUM = 0.35
PER_FIELD = 3


@dataclass(frozen=True)
class Suggestion:
    """An output that may be the input of others under another name."""

    output: str
    input: str
    confidence: float
    reasons: dict[str, float]


def suggest(
    store: Store,
    encode: Callable[[Sequence[str]], Vector] | None = None,
    *,
    minimum: float = MINIMUM,
    count: int = 50,
) -> list[Suggestion]:
    """Suggest links for required fields that nobody produces, best first."""
    overview = {row["field"]: row for row in store.read("fields/overview")}
    known = {(r["field"], r["same"]) for r in store.read("fields/reviewed")}
    known |= {(b, a) for a, b in known}
    wanted = [f for f, r in overview.items() if r["required"] and not r["producers"] and _links(f)]
    offered = [f for f, r in overview.items() if r["producers"] and _links(f)]
    alike = _description_similarity(wanted, offered, _texts(store) if encode else {}, encode)
    flows = _flows(store.read("fields/flows"))
    found = []
    for i, taken in enumerate(wanted):
        ranked = sorted(
            (
                _judge(given, taken, overview, float(alike[i, j]), flows)
                for j, given in enumerate(offered)
                if (given, taken) not in known
            ),
            key=lambda s: (-s.confidence, s.output),
        )
        found += [s for s in ranked[:PER_FIELD] if s.confidence >= minimum]
    return sorted(found, key=lambda s: (-s.confidence, s.input, s.output))[:count]


def _links(name: str) -> bool:
    return not is_control(name)


def _judge(
    given: str,
    taken: str,
    overview: dict[str, Row],
    alike: float,
    flows: dict[tuple[str, str], float],
) -> Suggestion:
    reasons = {
        "name": _name_similarity(given, taken),
        "type": 1.0 if overview[given]["type"] == overview[taken]["type"] else 0.0,
        "description": alike,
        "flow": flows.get((given, taken), 0.0),
    }
    confidence = sum(WEIGHTS[kind] * value for kind, value in reasons.items())
    return Suggestion(
        given, taken, round(confidence, 4), {k: round(v, 3) for k, v in reasons.items() if v}
    )


def _name_similarity(first: str, second: str) -> float:
    """Shared words over all words; words that say little alone count half."""
    a, b = set(words(first)), set(words(second))

    def weight(parts: set[str]) -> float:
        return sum(0.5 if part in GENERIC else 1.0 for part in parts)

    return weight(a & b) / weight(a | b) if a | b else 0.0


def _texts(store: Store) -> dict[str, str]:
    """Each field in words: its name, and the first description that a tool gives of it."""
    texts: dict[str, str] = {}
    for _, tool in sorted(definitions(store).items()):
        for spec in (*tool.inputs, *tool.outputs):
            if spec.description:
                name = field_name(spec, tool)
                texts.setdefault(name, f"{name.replace('_', ' ')}: {spec.description}")
    return texts


def _description_similarity(
    wanted: list[str],
    offered: list[str],
    texts: dict[str, str],
    encode: Callable[[Sequence[str]], Vector] | None,
) -> Vector:
    if encode is None or not wanted or not offered:
        return np.zeros((len(wanted), len(offered)), dtype=np.float32)
    spoken = [texts.get(name, name.replace("_", " ")) for name in (*wanted, *offered)]
    vectors = encode(spoken)
    cosine: Vector = np.clip(vectors[: len(wanted)] @ vectors[len(wanted) :].T, 0.0, 1.0)
    return cosine


def _flows(rows: list[Row]) -> dict[tuple[str, str], float]:
    """How much of the traffic into an input came from tools that give an output."""
    into: dict[str, int] = defaultdict(int)
    for row in rows:
        into[row["input"]] = max(into[row["input"]], row["count"])
    return {(r["output"], r["input"]): r["count"] / into[r["input"]] for r in rows if r["count"]}


def merge(store: Store, first: str, second: str, by: str) -> Row:
    """Declare two fields to be the same, as reviewed by a person.

    Raises:
        UnknownField: one of them does not exist.
        InputError: they are one field.
    """
    a, b = sorted(_known(store, first, second))
    row = {"field": a, "same": b, "reviewed_by": by}

    def work(tx: Transaction) -> dict[str, Any]:
        tx.run("fields/merge", first=a, second=b, by=by, at=now())
        return row

    store.write("merge", work)
    return row


def split(store: Store, first: str, second: str) -> Row:
    """Take back that two fields are the same.

    Raises:
        UnknownField: one of them does not exist.
        InputError: they were not declared to be the same.
    """
    a, b = sorted(_known(store, first, second))
    if {"field": a, "same": b} not in store.read("fields/same", fields=[a]):
        raise InputError(f"{a!r} and {b!r} were never merged. See: spm fields list")

    def work(tx: Transaction) -> dict[str, Any]:
        tx.run("fields/split", first=a, second=b)
        return {"field": a, "same": b}

    store.write("split", work)
    return {"field": a, "same": b}


def _known(store: Store, first: str, second: str) -> tuple[str, str]:
    vocabulary = {row["field"] for row in store.read("fields/vocabulary")}
    names = canonical(first), canonical(second)
    for name in names:
        if name not in vocabulary:
            raise UnknownField(name, nearest(name, sorted(vocabulary)))
    if names[0] == names[1]:
        raise InputError(f"{first!r} and {second!r} are one field already.")
    return names
