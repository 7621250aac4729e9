"""`spm doctor`: is the store sound, and mending it when it is not."""

from typing import Annotated

import typer

from spm.cli.options import JsonOption, StoreOption
from spm.cli.views.console import as_json, note, say, table


def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be mended.")] = False,
    accept_loss: Annotated[
        bool,
        typer.Option("--accept-loss", help="With --repair: go on without what is unreadable."),
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Check the store: files, schema, constraints, vectors.

    Exit 1 when something is wrong, 3 when there is no store at the place.
    """
    from dataclasses import asdict

    from spm.registry.doctor import examine, mend

    done = mend(store, accept_loss=accept_loss) if repair else []
    report = examine(store)
    if json:
        as_json({"done": done, "findings": [asdict(f) for f in report.findings], **report.status})
    else:
        for line in done:
            say(line)
        rows = [["ok" if f.ok else "WRONG", f.name, f.detail] for f in report.findings]
        table(["", "what", "found"], rows, wrap=["found"])
    if not report.ok:
        if not repair:
            note("Mend with: spm doctor --repair")
        raise typer.Exit(1)
