"""Effects against labels: how often a change passes for a look, or a look for destruction."""

from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.map import specs

NAMES = ("read", "write", "destructive")


@dataclass
class Score:
    """The figures of one part, and the operations behind them."""

    part: str
    destructive: int = 0
    destructive_as_read: int = 0
    destructive_as_write: int = 0
    changes: int = 0
    changes_as_read: int = 0
    harmless: int = 0
    harmless_as_destructive: int = 0
    not_found: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)

    def take(self, row: dict[str, Any], found: str, reason: str) -> None:
        """Count one label."""
        label = row["effect"]
        destroys, changes = label == "destructive", label != "read"
        self.destructive += destroys
        self.destructive_as_read += destroys and found == "read"
        self.destructive_as_write += destroys and found == "write"
        self.changes += changes
        self.changes_as_read += changes and found == "read"
        self.harmless += not destroys
        self.harmless_as_destructive += not destroys and found == "destructive"
        if found != label:
            self.errors.append({**row, "found": found, "reason": reason})


def score(folder: Path, part: str) -> Score:
    """Read the specifications of a part and compare every label with its tool."""
    rows = specs.labels("effects", part)
    made = Score(part)
    with TemporaryDirectory() as scratch:
        for api in specs.apis(rows):
            of_api = [row for row in rows if row["api"] == api]
            path = specs.document(folder, api, Path(scratch))
            if path is None:
                made.not_found += len(of_api)
                continue
            source = specs.read(path, api)
            tools = {f"{api}/{tool.name}": tool for tool in source.manifest.tools}
            operations = specs.tools_by_operation(source, api)
            for row in of_api:
                tool = tools.get(specs.find(operations, row["op"]) or "")
                if tool is None:
                    made.not_found += 1
                else:
                    made.take(row, tool.effects, tool.effects_reason)
    return made
