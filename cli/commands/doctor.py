"""`spm doctor`: is the store sound, and mending it when it is not."""

from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, progress, say, table

if TYPE_CHECKING:
    from spm.registry.invariants.violation import Outcome

SHOWN = 10  # violations of one invariant that are printed


def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be mended.")] = False,
    accept_loss: Annotated[
        bool,
        typer.Option("--accept-loss", help="With --repair: go on without what is unreadable."),
    ] = False,
    invariants: Annotated[
        bool,
        typer.Option("--invariants", help="Check what must hold for the menus of any registry."),
    ] = False,
    requests: Annotated[
        int, typer.Option("--requests", min=1, help="With --invariants: how many requests to make.")
    ] = 40,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Check the store: files, schema, constraints, vectors, the maps of services.

    With --invariants, menus too: requests are made out of the registry's own verbs and resources.
    One that reads must change nothing, nothing is destroyed unasked, what is not understood changes
    nothing without a note, other values and courtesies keep the route, every input is accounted
    for, and Cypher, saved queries, spm path, tools show, impact, atlas and menus tell the same
    dependencies.

    Exit 1 when something is wrong, 3 when there is no store at the place.
    """
    from dataclasses import asdict

    from spm.registry.doctor import examine, mend

    done = mend(store, accept_loss=accept_loss) if repair else []
    report = examine(store)
    outcomes = _check(store, requests) if invariants and report.ok else []
    if json:
        found = {"done": done, "findings": [asdict(f) for f in report.findings], **report.status}
        as_json(found | ({"invariants": list(map(asdict, outcomes))} if invariants else {}))
    else:
        for line in done:
            say(line)
        rows = [["ok" if f.ok else "WRONG", f.name, f.detail] for f in report.findings]
        table(["", "what", "found"], rows, wrap=["found"])
        _show(outcomes)
    if not report.ok and not repair:
        note("Mend with: spm doctor --repair")
    if not report.ok or not all(outcome.ok for outcome in outcomes):
        raise typer.Exit(1)


def _check(store: str | None, requests: int) -> "list[Outcome]":
    from spm.cli.vectors import prepared

    with opened(store) as registry:
        prepared(registry)
        with progress("Checking invariants") as bar:
            return registry.check_invariants(requests=requests, progress=bar)


def _show(outcomes: "list[Outcome]") -> None:
    if not outcomes:
        return
    say()
    rows = [
        ["ok" if o.ok else "WRONG", o.name, o.tried, len(o.violations), o.says] for o in outcomes
    ]
    table(["", "invariant", "tried", "violated", "what holds"], rows, wrap=["what holds"])
    for outcome in outcomes:
        if outcome.ok:
            continue
        say()
        say(f"{outcome.name}: {len(outcome.violations)} of {outcome.tried}")
        shown = outcome.violations[:SHOWN]
        columns = ["asked", "expected", "got"]
        table(columns, [[v.subject, v.expected, v.got] for v in shown], wrap=columns)
        if len(outcome.violations) > SHOWN:
            say(f"… and {len(outcome.violations) - SHOWN} more; see them with --json")
