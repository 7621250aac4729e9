"""The map in a snapshot: the card of each tool, and what kinds of acts remembered requests ask for.

Cards are read when they are asked for, like those that a menu shows.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from spm.gnn.snapshot.container import Container
from spm.gnn.snapshot.strings import Sorted, Texts
from spm.registry.encoding import digest
from spm.registry.map.verbs import VerbKind
from spm.registry.routes.tool_map import MapCard, kinds_of
from spm.registry.store.interface import Row, Store

KINDS: tuple[VerbKind, ...] = get_args(VerbKind)
INPUTS, DESCRIPTION = 60, 160  # inputs that are kept of a tool, characters of what is said of one
KEPT = 2_000  # cards that stay parsed; about 6 MB


def collect_cards(store: Store, tools: Sequence[Row], feeds: Sequence[Row]) -> Texts:
    """The cards of all tools, as a snapshot keeps them; feeders are numbers.

    Args:
        store: where the tools are.
        tools: in the order of their numbers.
        feeds: all FEEDS edges of the store.
    """
    number = {row["id"]: at for at, row in enumerate(tools)}
    acts = {row["id"]: row for row in store.read("library/purposes")}
    needs: dict[str, list[list[Any]]] = defaultdict(list)
    for row in store.read("library/needs"):
        needs[row["id"]].append([row["field"], row["required"], row["resource"], row["role"]])
    feeders: dict[str, list[list[Any]]] = defaultdict(list)
    for row in feeds:
        if row["producer"] in number:
            feed = [number[row["producer"]], row["fields"], row["weight"]]
            feeders[row["consumer"]].append(feed)
    return Texts.of(
        json.dumps(
            {
                "verb": acts.get(row["id"], {}).get("verb"),
                "resource": acts.get(row["id"], {}).get("resource"),
                "service": row["service"],
                "effects": row["effects"],
                "needs": needs[row["id"]],
                "feeders": feeders[row["id"]],
            }
        )
        for row in tools
    )


def collect_inputs(
    store: Store, tools: Sequence[Row], cards: Texts, before: Container | None
) -> tuple[Texts, NDArray[np.int64]]:
    """The inputs of all tools, and a digest of each; those of before are copied where they hold."""
    read = [json.loads(card) for card in cards]
    contents = (
        f"{row['content_hash']} {card['needs']}" for row, card in zip(tools, read, strict=True)
    )
    digests = np.array([int(digest(c), 16) for c in contents], np.uint64).view(np.int64)
    known = {}
    if before is not None:
        old = Texts(before.arrays["inputs.starts"], before.arrays["inputs.data"])
        known = dict(zip(before.arrays["inputs.digests"].tolist(), old, strict=True))
    new = [at for at, number in enumerate(digests.tolist()) if number not in known]
    rows = store.read("tools/definitions", ids=[tools[at]["id"] for at in new])
    definitions = {row["id"]: row["definition"] for row in rows}
    texts = []
    for at, row in enumerate(tools):
        text = known.get(int(digests[at]))
        if text is None:
            text = _written_inputs(
                json.loads(cards[at]), row["id"], definitions.get(row["id"], "{}")
            )
        texts.append(text)
    return Texts.of(texts), digests


def _written_inputs(card: Row, tool: str, definition: str) -> str:
    """The inputs of a tool as JSON, without what is empty, those that matter most first."""
    found = MapCard.of({**card, "feeders": []}).inputs(tool, definition)
    kept = sorted(found, key=lambda one: (not one.required, not one.resource))[:INPUTS]
    rows = [{k: v for k, v in asdict(one).items() if v not in ("", (), False)} for one in kept]
    for row in rows:
        row.pop("tool", None)
        row["description"] = row.get("description", "")[:DESCRIPTION]
    return json.dumps(rows)


def kinds_asked(requests: Sequence[str]) -> NDArray[np.uint8]:
    """What kinds of acts each request asks for, a bit for each kind."""
    bit = {kind: 1 << at for at, kind in enumerate(KINDS)}
    return np.array([sum(bit[kind] for kind in kinds_of(text)) for text in requests], np.uint8)


class MapCards:
    """The cards of all tools, with every tool that feeds them; read when they are asked for.

    Args:
        ids: of the tools.
        effects: of each tool by its number.
        texts: the cards as `collect_cards` wrote them.
    """

    def __init__(self, ids: Sorted, effects: Callable[[int], str], texts: Texts) -> None:
        self._ids = ids
        self._effects = effects
        self._texts = texts
        self._read: dict[int, MapCard] = {}  # plans look at the same few hundred again and again

    def __getitem__(self, at: int) -> MapCard:
        found = self._read.get(at)
        if found is None:
            if len(self._read) >= KEPT:
                self._read = {}
            found = self._read[at] = self._parsed(at)
        return found

    def __len__(self) -> int:
        return len(self._texts)

    def _parsed(self, at: int) -> MapCard:
        row = json.loads(self._texts.once(at))
        row["feeders"] = [
            [self._ids[number], fields, weight, self._effects(number)]
            for number, fields, weight in row["feeders"]
        ]
        return MapCard.of(row)
