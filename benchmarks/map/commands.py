"""`python -m benchmarks map`: what the graph knows of real APIs, against labels."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.map.specs import PARTS
from spm.cli.options import JsonOption
from spm.cli.views.console import as_json, table

app = typer.Typer(help="Compare the map with labels.", no_args_is_help=True)

SpecsOption = Annotated[Path, typer.Option("--specs", help="The folder of specifications.")]
PartOption = Annotated[
    list[str] | None, typer.Option("--part", help="dev, test or extra; all without any.")
]
ErrorsOption = Annotated[bool, typer.Option("--errors", help="List what differs.")]


@app.command()
def effects(
    specs: SpecsOption,
    part: PartOption = None,
    errors: ErrorsOption = False,
    json: JsonOption = False,
) -> None:
    """Score effects: destructive called read or write, changes called read, false alarms."""
    from benchmarks.map.effects import score

    found = [score(specs, name) for name in part or PARTS]
    if json:
        as_json([asdict(one) | ({} if errors else {"errors": len(one.errors)}) for one in found])
        return
    table(
        ["part", "destroys → read", "→ write", "changes → read", "harmless → destroys", "no tool"],
        [[one.part, f"{one.destructive_as_read} of {one.destructive}",
          f"{one.destructive_as_write} of {one.destructive}",
          f"{one.changes_as_read} of {one.changes}",
          f"{one.harmless_as_destructive} of {one.harmless}", one.not_found] for one in found],
    )  # fmt: skip
    if errors:
        table(
            ["api", "operation", "label", "sure", "found", "reason"],
            [[row["api"], row["op"], row["effect"], row["sure"], row["found"], row["reason"]]
             for one in found for row in one.errors],
            wrap=["operation", "reason"],
        )  # fmt: skip
