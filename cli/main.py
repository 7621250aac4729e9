"""The `spm` command: which tree of commands, and the one place where errors become exit codes.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the store cannot be used, 130 interrupted,
141 nobody reads the output any more.
"""

import io
import os
import sys

# BLAS reads this when numpy is loaded: on a shared machine one thread was measured to be
# faster than several, and a menu multiplies only small matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import typer

from spm.cli.output import Unheard, note
from spm.registry.errors import SpmError

INTERRUPTED, UNHEARD = 130, 141  # what a shell shows for programs that end by these signals


def tree(arguments: list[str]) -> typer.Typer:
    """The commands that these arguments can mean.

    Loading and building all of them takes as long as the rest of a cold menu.
    """
    if arguments[:1] == ["menu"]:
        from spm.cli.manners import commands
        from spm.cli.menu import menu

        lean = commands()
        lean.command("menu")(menu)
        return lean
    from spm.cli.tree import app

    return app


def plain(arguments: list[str]) -> tuple[str, str | None] | None:
    """Request and store of `spm menu` where nothing else was said; None: typer reads it.

    Typer builds readers of all options with pydantic, 80 of the 430 ms of a cold menu.
    """
    match arguments:
        case ["menu", request]:
            store = None
        case ["menu", request, "--store", store] | ["menu", "--store", store, request]:
            pass
        case _:
            return None
    texts = [request] if store is None else [request, store]
    if not all(text.isprintable() and text and text[0] != "-" for text in texts):
        return None
    return None if "_SPM_COMPLETE" in os.environ else (request, store)


def _run(arguments: list[str]) -> None:
    if (said := plain(arguments)) is None:
        tree(arguments)(arguments, prog_name="spm")
        return
    from spm.cli.manners import options
    from spm.cli.menu import menu

    options()
    menu(said[0], store=said[1])


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        _run(given)
    except typer.Exit as stop:
        return stop.exit_code
    except KeyboardInterrupt:
        note("spm: interrupted.")
        return INTERRUPTED
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            note("spm: interrupted.")
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except SpmError as error:
        if os.environ.get("SPM_DEBUG"):
            raise
        note(f"spm: {error}")
        return error.exit_code
    return 0


class _Stdout(io.TextIOWrapper):
    """Standard output that says so in its own words: typer and rich end with 1 at a broken pipe."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except BrokenPipeError as error:
            raise Unheard from error

    def flush(self) -> None:
        try:
            super().flush()
        except BrokenPipeError as error:
            raise Unheard from error


def run() -> None:
    """Entry point of the `spm` script."""
    plain = sys.stdout
    if isinstance(plain, io.TextIOWrapper):
        sys.stdout = _Stdout(
            plain.buffer, plain.encoding, plain.errors, line_buffering=plain.line_buffering
        )
    try:
        code = main()
        sys.stdout.flush()
    except Unheard:
        code = UNHEARD
        # What is still in the buffer would break the pipe again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
