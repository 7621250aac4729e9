"""Found by search: operations by their own summary, and by words of who has not read it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import spm
from benchmarks.map.specs import apis, document, find, labels, read, registry, tools_by_operation
from spm.registry.catalog.search_text import first_sentences, plain
from spm.registry.models import ToolSpec, tool_id

PLACES = (1, 5, 10)


@dataclass
class Score:
    """How many of some operations stood among the first."""

    asked: int = 0
    within: dict[int, int] = field(default_factory=lambda: dict.fromkeys(PLACES, 0))
    missed: list[dict[str, Any]] = field(default_factory=list)

    def add(self, text: str, wanted: frozenset[str], found: Sequence[str]) -> None:
        """Count one search: any of the wanted tools will do."""
        self.asked += 1
        place = next((at for at, tool in enumerate(found, 1) if tool in wanted), None)
        for most in PLACES:
            self.within[most] += place is not None and place <= most
        if place != 1:
            first = found[0] if found else None
            row = {"asked": text, "wanted": sorted(wanted)[0], "at": place, "first": first}
            self.missed.append(row)

    def row(self) -> dict[str, Any]:
        """Shares, for people."""
        shares = {f"in {most}": round(count / self.asked, 3) for most, count in self.within.items()}
        return {"asked": self.asked, **shares}


def compare(specs: Path, stores: Path) -> dict[str, Score]:
    """Ask for each operation of the labels twice, in one registry of all its APIs."""
    rows = labels("search", "paraphrases")
    files = {name: document(specs, name, stores / "specs") for name in apis(rows)}
    sources = {name: read(path, name) for name, path in files.items() if path is not None}
    texts: dict[str, str] = {}
    alike: dict[tuple[str, str], set[str]] = {}
    for name, source in sources.items():
        for spec in source.manifest.tools:
            known = tool_id(name, spec.name)
            texts[known] = summary(spec)
            alike.setdefault((name, texts[known]), set()).add(known)
    places = {name: tools_by_operation(source, name) for name, source in sources.items()}
    scores = {"own summary": Score(), "paraphrase": Score()}
    with registry(specs, sources, stores / "-".join(sources)) as opened:
        active = {row["id"] for row in opened.tools.list() if row["status"] == "active"}
        for row in rows:
            tool = find(places.get(row["api"], {}), row["op"])
            if tool is None or tool not in active:  # nobody is offered what is deprecated
                continue
            wanted = frozenset(alike[row["api"], texts[tool]])
            for name, text in (("own summary", texts[tool]), ("paraphrase", row["text"])):
                scores[name].add(text, wanted, ids(opened, text))
    return scores


def summary(tool: ToolSpec) -> str:
    """What a source says of a tool in a line."""
    return plain(tool.title) or first_sentences(tool.description, 300, 1)


def ids(opened: spm.Registry, text: str) -> list[str]:
    """The tools that a text finds, best first."""
    return [found.id for found in opened.search(text, limit=max(PLACES))]
