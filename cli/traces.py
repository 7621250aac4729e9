"""`spm traces`: what agents really did."""

from pathlib import Path
from typing import Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.output import as_json, progress, say

app = typer.Typer(help="Import observed trajectories.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Import observed trajectories."""


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="JSON lines, one trajectory each.")],
    skip_unknown: Annotated[
        bool, typer.Option("--skip-unknown", help="Leave out trajectories with unknown tools.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Import trajectories; a file that was imported before changes nothing.

    A line: {"trace_id": "t1", "request": "…", "steps": [{"tool": "…"}], "success": true}
    """
    from spm.cli.vectors import encode
    from spm.registry.documents import read_traces

    with opened(store) as registry:
        with progress("Reading traces") as bar:
            read = 0

            def step(count: int) -> None:
                nonlocal read
                read += count
                bar(read, 0)

            result = registry.import_traces(
                read_traces(file), skip_unknown=skip_unknown, progress=step
            )
        encode(registry)
    if json:
        as_json(result)
        return
    skipped = f", {result.skipped} skipped (unknown tools)" if result.skipped else ""
    say(f"{result.imported} trajectories imported, {result.known} already known{skipped}")
