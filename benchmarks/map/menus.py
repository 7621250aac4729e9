"""Multi-step requests: complete menus, and routes, against labels and against a plain hybrid."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.map.hybrid import Hybrid
from benchmarks.map.specs import apis, document, find, labels, read, registry, tools_by_operation
from spm.registry.models import ToolSpec

SIZES = (10, 32)


@dataclass(frozen=True)
class Task:
    """A request with the tools that it takes; each may have others that serve as well."""

    id: str
    api: str
    request: str
    gold: tuple[frozenset[str], ...]
    any_order: bool

    def found(self, menu: Sequence[str]) -> int:
        """How many of its tools, or of others that serve as well, a menu holds."""
        return sum(bool(wanted & {*menu}) for wanted in self.gold)

    def complete(self, menu: Sequence[str]) -> bool:
        """Whether a menu holds all of it."""
        return self.found(menu) == len(self.gold)

    def in_order(self, route: Sequence[str]) -> bool:
        """Whether a route holds all of it, in its order."""
        if not self.complete(route):
            return False
        places = [min(route.index(t) for t in wanted if t in route) for wanted in self.gold]
        return self.any_order or places == sorted(places)


@dataclass
class Score:
    """What menus of one constructor are worth."""

    requests: int = 0
    complete: dict[int, int] = field(default_factory=lambda: dict.fromkeys(SIZES, 0))
    gold: int = 0
    found: int = 0
    shown: int = 0  # routes
    right: int = 0  # of those shown: all gold in order
    exact: int = 0
    missed: list[dict[str, Any]] = field(default_factory=list)

    def add(self, task: Task, menu: Sequence[str], route: Sequence[str]) -> None:
        """Count one menu."""
        self.requests += 1
        for size in SIZES:
            self.complete[size] += task.complete(menu[:size])
        self.gold += len(task.gold)
        self.found += task.found(menu[: SIZES[-1]])
        self.shown += bool(route)
        self.right += task.in_order(route)
        self.exact += task.in_order(route) and len(route) == len(task.gold)
        row: dict[str, Any] = {"id": task.id, "request": task.request, "route": list(route)}
        row["gold"] = [sorted(g)[0] if len(g) == 1 else sorted(g) for g in task.gold]
        row["at"] = [
            min((menu.index(t) + 1 for t in g if t in menu), default=None) for g in task.gold
        ]
        row["right"] = task.in_order(route)
        self.missed.append(row)

    def row(self) -> dict[str, Any]:
        """The figures."""
        return {
            "requests": self.requests,
            **{f"complete@{size}": count for size, count in self.complete.items()},
            "recall@32": round(self.found / max(self.gold, 1), 3),
            "routes shown": self.shown,
            "in order": self.right,
            "exact": self.exact,
        }


def tasks(rows: Iterable[dict[str, Any]], tools: dict[str, dict[str, str]]) -> list[Task]:
    """The labels of the APIs whose specification is there."""
    found = []
    for row in rows:
        known = tools.get(row["api"])
        if known is None:
            continue
        gold = []
        for operation in row["gold"]:
            others = (find(known, o) for o in (operation, *row["also"].get(operation, ())))
            gold.append(frozenset(filter(None, others)))
        found.append(Task(row["id"], row["api"], row["request"], tuple(gold), row["any_order"]))
    return found


def compare(folder: Path, part: str, stores: Path, say: Callable[[str], None]) -> dict[str, Score]:
    """Menus of an untrained registry with every API of a part in it, beside the hybrid."""
    rows = labels("requests", part)
    sources = {}
    for api in apis(rows):
        if path := document(folder, api, stores / "specs"):
            sources[api] = read(path, api)
    wanted = tasks(rows, {api: tools_by_operation(s, api) for api, s in sources.items()})
    ids: list[str] = []
    tools: list[ToolSpec] = []
    for api, source in sources.items():
        ids += [f"{api}/{tool.name}" for tool in source.manifest.tools]
        tools += source.manifest.tools
    say(f"{len(ids)} tools of {', '.join(sources)}; {len(wanted)} requests")
    scores = {"spm": Score(), "hybrid": Score()}
    hybrid = Hybrid(ids, tools)
    for task in wanted:
        scores["hybrid"].add(task, hybrid.menu(task.request, SIZES[-1]), [])
    with registry(folder, sources, stores / "-".join(sources)) as opened:
        for task in wanted:
            menu = opened.menu(task.request, size=SIZES[-1])
            scores["spm"].add(task, [item.id for item in menu.items], list(menu.route))
    return scores


def write(scores: dict[str, Score], path: Path) -> None:
    """Keep what was found request by request."""
    path.write_text(json.dumps({name: s.missed for name, s in scores.items()}, indent=1))
