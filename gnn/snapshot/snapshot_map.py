"""The map of a snapshot as one caller sees it: plans ask it as they ask a store."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from spm.gnn.snapshot.map_cards import KINDS
from spm.gnn.snapshot.view import View
from spm.registry.map.verbs import VerbKind
from spm.registry.request.input_nouns import Input
from spm.registry.routes.tool_map import MapCard

_TUPLES = ("enum", "examples", "nouns")


class SnapshotMap:
    """Answers from a snapshot, as one caller sees it."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._seen: dict[int, MapCard] = {}  # one menu asks for the same tools several times

    def cards(self, tools: Sequence[str]) -> Mapping[str, MapCard]:
        """The cards of tools that are known."""
        snapshot = self._view.snapshot
        numbers = ((tool, snapshot.ids.get(tool)) for tool in tools)
        return {tool: self._card(at) for tool, at in numbers if at is not None}

    def inputs(self, tools: Sequence[str]) -> Mapping[str, Sequence[Input]]:
        """The inputs of tools with what their schemas say."""
        snapshot = self._view.snapshot
        numbers = ((tool, snapshot.ids.get(tool)) for tool in tools)
        return {
            tool: _read_inputs(tool, snapshot.inputs[at]) for tool, at in numbers if at is not None
        }

    def asked(self, trajectories: Sequence[str]) -> list[frozenset[VerbKind]]:
        """What kinds of acts the requests of trajectories ask for."""
        snapshot = self._view.snapshot
        numbers = map(snapshot.trajectory_ids.get, trajectories)
        found = [at for at in numbers if at is not None]
        return [
            frozenset(kind for at, kind in enumerate(KINDS) if bits >> at & 1)
            for bits in snapshot.kinds_asked[found].tolist()
        ]

    def _card(self, at: int) -> MapCard:
        """A card without feeders that the caller does not see."""
        view = self._view
        if view.visible.tools is None:
            return view.snapshot.map_cards[at]
        if at not in self._seen:
            card, number = view.snapshot.map_cards[at], view.snapshot.ids.get
            seen = (f for f in card.feeders if view.sees(number(f.producer) or 0))
            self._seen[at] = replace(card, feeders=tuple(seen))
        return self._seen[at]


@lru_cache(1_024)  # some 20 KB each
def _read_inputs(tool: str, written: str) -> tuple[Input, ...]:
    rows = json.loads(written)
    return tuple(
        Input(**{**row, **{k: tuple(row[k]) for k in _TUPLES if k in row}, "tool": tool})
        for row in rows
    )
