"""Five invented APIs, each in another style, with labels by eyes that never saw the rules.

Alone in a registry, as a team that registers its own document has it. `DEV` may be read while rules
are made; the others only report.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import spm
from benchmarks.map.hybrid import Hybrid
from benchmarks.map.specs import find, read, tools_by_operation
from spm.registry.importers.source import Source

FOLDER = Path(__file__).parent / "invented"
DEV, HELD = ("fleet", "university", "energy"), ("studio", "hotel")
SIZE = 10


@dataclass
class Score:
    """What the map and the menus of one API are worth."""

    api: str
    effects: int = 0
    destroys_as_read: int = 0
    destroys_as_write: int = 0
    changes_as_read: int = 0
    harmless_as_destroys: int = 0
    edges: int = 0
    edges_found: int = 0
    no_edges: int = 0
    no_edges_found: int = 0
    requests: int = 0
    complete: int = 0
    complete_by_hybrid: int = 0
    shown: int = 0
    right: int = 0  # all gold in order
    exact: int = 0
    changed_by_reading: int = 0  # requests that read, with a route that changes something
    errors: list[str] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """The figures."""
        return {
            "api": self.api,
            "destroys → read, write": f"{self.destroys_as_read}, {self.destroys_as_write}",
            "change → read": self.changes_as_read,
            "harmless → destroys": self.harmless_as_destroys,
            "edges": f"{self.edges_found} of {self.edges}",
            "wrong edges": f"{self.no_edges_found} of {self.no_edges}",
            f"complete@{SIZE}": f"{self.complete} of {self.requests}",
            "hybrid": self.complete_by_hybrid,
            "routes": self.shown,
            "right": self.right,
            "exact": self.exact,
            "reading changes": self.changed_by_reading,
        }


def score(api: str, store: Path, style: str = "") -> Score:
    """Score one API; `style` keeps the requests of one style: plain, idiom, reads or none."""
    source, rows = _source(api), _labels(api)
    by_operation, made = tools_by_operation(source, api), Score(api)

    def known(name: str) -> str:
        return find(by_operation, name) or f"{api}/{name}"

    effects = {f"{api}/{tool.name}": tool.effects for tool in source.manifest.tools}
    for row in rows:
        if row["kind"] == "effects":
            _take_effects(made, row, effects[known(row["tool"])])
    hybrid = Hybrid(list(effects), list(source.manifest.tools))
    with spm.open(store) as registry:
        registry.register(_path(api), service=api)
        feeds = registry.core.store.read("library/feeds")
        there = {(feed["producer"], feed["consumer"]) for feed in feeds}
        for row in rows:
            if row["kind"] in ("edge", "no_edge"):
                _take_edge(made, row, (known(row["from"]), known(row["to"])) in there)
        for row in rows:
            if row["kind"] == "request" and style in ("", row["style"]):
                gold = [[known(t) for t in way] for way in row.get("routes") or [row["route"]]]
                menu = registry.menu(row["request"])
                ids = [item.id for item in menu.items]
                plain = hybrid.menu(row["request"], SIZE)
                _take_request(made, row, gold, ids, menu.route, plain)
                changes = any(effects[tool] != "read" for tool in menu.route)
                made.changed_by_reading += row["style"] == "reads" and changes
    return made


def _path(api: str) -> Path:
    return next(path for path in FOLDER.glob(f"{api}.*") if path.suffix != ".jsonl")


def _source(api: str) -> Source:
    return read(_path(api), api)


def _labels(api: str) -> list[dict[str, Any]]:
    lines = (FOLDER / f"{api}.labels.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _take_effects(made: Score, row: dict[str, Any], found: str) -> None:
    label = row["effects"]
    made.effects += 1
    made.destroys_as_read += label == "destructive" and found == "read"
    made.destroys_as_write += label == "destructive" and found == "write"
    made.changes_as_read += label != "read" and found == "read"
    made.harmless_as_destroys += label != "destructive" and found == "destructive"
    if found != label:
        made.errors.append(f"effects: {row['tool']} is {label}, found {found}")


def _take_edge(made: Score, row: dict[str, Any], found: bool) -> None:
    if row["kind"] == "edge":
        made.edges += 1
        made.edges_found += found
    else:
        made.no_edges += 1
        made.no_edges_found += found
    if found != (row["kind"] == "edge"):
        what = "missing" if row["kind"] == "edge" else "wrong"
        made.errors.append(f"{what} edge: {row['from']} -{row['input']}→ {row['to']}")


def _take_request(
    made: Score,
    row: dict[str, Any],
    gold: list[list[str]],
    menu: Sequence[str],
    route: Sequence[str],
    hybrid: Sequence[str],
) -> None:
    made.requests += 1
    made.complete += any({*way} <= {*menu[:SIZE]} for way in gold)
    made.complete_by_hybrid += any({*way} <= {*hybrid} for way in gold)
    made.shown += bool(route)
    once = [list(dict.fromkeys(way)) for way in gold]
    right = bool(route) and any(way and _in_order(way, route) for way in once)
    made.right += right
    made.exact += right and any(list(route) == way for way in once)
    if (route and not right) or (not route and gold != [[]]):
        found = " → ".join(tool.partition("/")[2] for tool in route) or "no route"
        wanted = " → ".join(tool.partition("/")[2] for tool in once[0]) or "none"
        made.errors.append(
            f"{row['style']}: {row['request']}\n    wanted {wanted}\n    found  {found}"
        )


def _in_order(way: Sequence[str], route: Sequence[str]) -> bool:
    places = [route.index(tool) for tool in way if tool in route]
    return len(places) == len(way) and places == sorted(places)
