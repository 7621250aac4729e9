"""Suggesting that two differently named fields are the same, with a confidence and reasons.

Four kinds of circumstantial evidence: the names share words, the types agree, the descriptions are
alike, and one tool that gives the first was observed right before a tool that takes the second. And
one that is direct: values were seen to come out as the first and to go in as the second. A person
decides: `spm fields merge` writes the reviewed edge.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from spm.registry.catalog.fields import GENERIC, is_control
from spm.registry.catalog.graph_rows import field_name
from spm.registry.catalog.naming import words
from spm.registry.catalog.tools import definitions
from spm.registry.store.interface import Row, Store, Vector
from spm.registry.store.reader import Reader

# The best balanced of seven weightings on the flows of NESTFUL's train episodes. The held-out flows
# were printed beside them, so no figure on NESTFUL is a clean test of this choice.
WEIGHTS = {"name": 0.3, "description": 0.3, "flow": 0.3, "type": 0.1}
# How many observed values take away half of the doubt: one may be chance, a dozen hardly ever are.
HALF = 1
MINIMUM = 0.35
PER_FIELD = 3  # guesses; what was observed is none
Pair = tuple[str, str]


@dataclass(frozen=True)
class Suggestion:
    """An output that may be the input of others under another name."""

    output: str
    input: str
    confidence: float
    reasons: dict[str, float]
    observed: int = 0  # how often a value was seen to go from the one to the other


def suggest(
    store: Store,
    encode: Callable[[Sequence[str]], Vector] | None = None,
    *,
    minimum: float = MINIMUM,
    count: int = 50,
) -> list[Suggestion]:
    """Suggest links for required fields, best first.

    Of fields that nobody produces every output is considered; of the others, which may well be
    produced under the right name, only outputs whose values were observed to go there.
    """
    overview = {row["field"]: row for row in store.read("fields/overview") if _links(row["field"])}
    evidence = _evidence(store)
    reached = {taken for _, taken in evidence.observed}
    wanted = [
        f for f, r in overview.items() if r["required"] and (not r["producers"] or f in reached)
    ]
    offered = [f for f, r in overview.items() if r["producers"]]
    alike = _description_similarity(wanted, offered, _texts(store) if encode else {}, encode)
    found = []
    for i, taken in enumerate(wanted):
        ranked = sorted(
            (
                _judge(overview[given], overview[taken], float(alike[i, j]), evidence)
                for j, given in enumerate(offered)
                if (given, taken) not in evidence.reviewed
                and (not overview[taken]["producers"] or (given, taken) in evidence.observed)
            ),
            key=lambda s: (-s.confidence, s.output),
        )
        best = [s for place, s in enumerate(ranked) if place < PER_FIELD or s.observed]
        found += [s for s in best if s.confidence >= minimum]
    return sorted(found, key=lambda s: (-s.confidence, s.input, s.output))[:count]


def _links(name: str) -> bool:
    return not is_control(name)


@dataclass(frozen=True)
class _Evidence:
    """What the registry knows of pairs (output, input)."""

    reviewed: set[Pair]
    flows: dict[Pair, float]  # share of the traffic into the input
    observed: dict[Pair, Row]  # count and weight of values that were seen to flow


def _evidence(store: Store) -> _Evidence:
    same = {(row["field"], row["same"]) for row in store.read("fields/reviewed")}
    return _Evidence(
        reviewed=same | {(b, a) for a, b in same},
        flows=_flows(store.read("fields/flows")),
        observed={(row["output"], row["input"]): row for row in store.read("fields/observed")},
    )


def _judge(given: Row, taken: Row, alike: float, evidence: _Evidence) -> Suggestion:
    pair = given["field"], taken["field"]
    reasons = {
        "name": _name_similarity(*pair),
        "type": 1.0 if given["type"] == taken["type"] else 0.0,
        "description": alike,
        "flow": evidence.flows.get(pair, 0.0),
    }
    doubt = 1 - sum(WEIGHTS[kind] * value for kind, value in reasons.items())
    seen = evidence.observed.get(pair, {"count": 0, "weight": 0})
    # Independent of the circumstances: what they leave in doubt, observations take away.
    doubt *= HALF / (HALF + seen["weight"])
    kept = {kind: round(value, 3) for kind, value in reasons.items() if value}
    return Suggestion(*pair, round(1 - doubt, 4), kept, seen["count"])


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
    phrases = [texts.get(name, name.replace("_", " ")) for name in (*wanted, *offered)]
    vectors = encode(phrases)
    cosine: Vector = np.clip(vectors[: len(wanted)] @ vectors[len(wanted) :].T, 0.0, 1.0)
    return cosine


def _flows(rows: list[Row]) -> dict[Pair, float]:
    """How much of the traffic into an input came from tools that give an output."""
    into: dict[str, int] = defaultdict(int)
    for row in rows:
        into[row["input"]] = max(into[row["input"]], row["count"])
    return {(r["output"], r["input"]): r["count"] / into[r["input"]] for r in rows if r["count"]}


def overview(store: Reader, *, unproduced: bool = False) -> list[Row]:
    """Fields with how many tools take and make them, and what a person said that they are."""
    kinds: dict[str, list[str]] = {}
    for row in store.read("fields/directed"):
        kinds.setdefault(row["field"], []).append(row["kind"])
    same: dict[str, list[str]] = {}
    for pair in store.read("fields/reviewed"):
        same.setdefault(pair["field"], []).append(pair["same"])
        same.setdefault(pair["same"], []).append(pair["field"])
    rows = store.read("fields/overview")
    rows = [
        {**row, "same": sorted(same.get(row["field"], [])), "kinds": kinds.get(row["field"], [])}
        for row in rows
    ]
    if unproduced:
        rows = [row for row in rows if row["required"] and not row["producers"]]
    return rows
