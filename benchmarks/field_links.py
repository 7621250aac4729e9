"""Do fields meet where data flowed? Derived producer→consumer edges against a data set's own.

Reads a folder in the project's data format: `tools.jsonl.gz`, and `links.jsonl.gz` (from, to) or
`flows.jsonl.gz` (from, to). Data sets name only some of the true edges, so precision is a lower
bound; the same edges are judged for every way of naming, so the ways can be compared.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spm.evaluation.datasets import rows
from spm.registry.catalog.fields import canonical, is_control
from spm.registry.catalog.naming import fold
from spm.registry.errors import InputError

# A way of naming: tool, spelling, owner given by the data → the name, or "" for no field at all.
Naming = Callable[[dict[str, Any], str, str], str]


@dataclass(frozen=True)
class Agreement:
    """How derived edges agree with those of a data set."""

    naming: str
    derived: int
    gold: int
    agreed: int

    @property
    def precision(self) -> float:
        """Share of the derived edges that the data set has too."""
        return self.agreed / self.derived if self.derived else 0.0

    @property
    def recall(self) -> float:
        """Share of the data set's edges that were derived."""
        return self.agreed / self.gold if self.gold else 0.0


def _spelled(tool: dict[str, Any], name: str, owner: str) -> str:
    del tool, owner
    return name


def _folded(tool: dict[str, Any], name: str, owner: str) -> str:
    del tool, owner
    return fold(name)


def _canonical(tool: dict[str, Any], name: str, owner: str) -> str:
    return "" if is_control(name) else canonical(name, owner or str(tool["family"] or ""))


NAMINGS: dict[str, Naming] = {"as spelled": _spelled, "folded": _folded, "canonical": _canonical}


def compare(folder: Path) -> list[Agreement]:
    """Derive edges under each naming and compare them with the data set's own.

    Raises:
        InputError: the folder has no tools or no edges.
    """
    tools = list(rows(folder / "tools.jsonl.gz"))
    found = [f for f in ("links.jsonl.gz", "flows.jsonl.gz") if (folder / f).is_file()]
    if not found:
        raise InputError(f"{str(folder)!r} has neither links.jsonl.gz nor flows.jsonl.gz.")
    gold = {(row["from"], row["to"]) for row in rows(folder / found[0])}
    return [_agreement(label, tools, naming, gold) for label, naming in NAMINGS.items()]


def _agreement(
    label: str, tools: list[dict[str, Any]], naming: Naming, gold: set[tuple[str, str]]
) -> Agreement:
    makers: dict[str, set[str]] = defaultdict(set)
    takers: dict[str, set[str]] = defaultdict(set)
    for tool in tools:
        for side, specs in ((makers, tool["outputs"]), (takers, tool["inputs"])):
            for spec in specs:
                owner, _, name = str(spec["name"]).replace("[]", "").rpartition(".")
                if met := naming(tool, name, owner.rpartition(".")[2]):
                    side[met].add(tool["name"])
    derived = {(a, b) for name in makers for a in makers[name] for b in takers[name] if a != b}
    return Agreement(label, len(derived), len(gold), len(derived & gold))
