"""`spm serve --daemon`: a warm process for `spm menu` in the terminal; nothing ever needs it."""

import os
import time
from enum import StrEnum
from typing import Annotated

import typer

from spm.cli.output import as_json, note, say

IDLE_MINUTES = 30.0


class Action(StrEnum):
    """What is to happen to the warm process of a store."""

    start = "start"
    stop = "stop"
    status = "status"
    foreground = "foreground"


DaemonOption = Annotated[
    bool,
    typer.Option(
        "--daemon", help="Instead: keep a process warm for `spm menu` in the terminal. No HTTP."
    ),
]
StopOption = Annotated[bool, typer.Option("--stop", help="With --daemon: end it.")]
StatusOption = Annotated[bool, typer.Option("--status", help="With --daemon: say what runs.")]
IdleOption = Annotated[
    float,
    typer.Option("--idle", min=0.01, metavar="MINUTES", help="With --daemon: ends after so long."),
]
ForegroundOption = Annotated[
    bool, typer.Option("--foreground", hidden=True, help="Be the warm process itself.")
]


def action(stop: bool, status: bool, foreground: bool) -> Action:
    """Which of them is meant.

    Raises:
        typer.BadParameter: more than one.
    """
    asked = {Action.stop: stop, Action.status: status, Action.foreground: foreground}
    found = [one for one, wanted in asked.items() if wanted]
    if len(found) > 1:
        raise typer.BadParameter("expected one of --stop and --status (got both)")
    return found[0] if found else Action.start


def daemon(store: str | None, what: Action, idle: float, json: bool) -> None:
    """Start, end or look at the warm process of a store."""
    match what:
        case Action.foreground:
            _run(store, idle)
        case Action.start:
            _start(store, idle, json)
        case _:
            _others(store, json, stop=what is Action.stop)


def _run(store: str | None, idle: float) -> None:
    from spm.cli import keeping
    from spm.registry.settings import settings
    from spm.service.daemon import Daemon
    from spm.service.terminal import socket_of

    path = socket_of(store)
    keeping.keep(store)
    about = {"store": _named(settings(store).store), "since": int(time.time()), "idle": idle}
    Daemon(path, keeping.answer, 60 * idle, about).run()


def _start(store: str | None, idle: float, json: bool) -> None:
    from spm.cli.asking import prepared
    from spm.cli.options import opened
    from spm.service.daemon import itself, start, status
    from spm.service.terminal import socket_of

    with opened(store) as registry:
        prepared(registry)  # it only reads
    path = socket_of(store)
    found = status(path)
    if found is None:
        named = ["--store", store] if store else []
        found = start(
            itself("serve", "--daemon", "--foreground", "--idle", str(idle), *named), path
        )
    if json:
        as_json(found)
        return
    say(f"spm menu is warm for {found['store']} (process {found['pid']}).")
    note("It ends by itself when nobody asks. End it now: spm serve --daemon --stop")


def _others(store: str | None, json: bool, *, stop: bool) -> None:
    """All warm processes of a store, also those of another version of spm."""
    from spm.registry.settings import settings
    from spm.service.daemon import status
    from spm.service.terminal import place

    own, found = _named(settings(store).store), []
    folder = place()
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for path in (os.path.join(folder, name) for name in names if name.endswith(".sock")):
        one = status(path)
        if one is not None and one.get("store") == own:
            found.append(status(path, stop=True) if stop else one)
    if json:
        as_json(found)
    elif not found:
        say(f"No process is warm for {own}.")
    for one in [] if json else found:
        assert one is not None
        verb = "Ended" if stop else "Warm"
        say(f"{verb}: process {one['pid']}, {one['answered']} menus so far.")
    if not found and not stop:
        raise typer.Exit(1)


def _named(store: str) -> str:
    return store if "://" in store else os.path.realpath(store)
