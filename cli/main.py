"""The `spm` command: its commands, its global options, and how errors become exit codes.

A command's module is imported when the command is run. Exit codes: 0 done, 1 refused or failed,
2 wrong usage, 3 the store cannot be used, 130 interrupted, 141 nobody reads the output any more.
"""

import io
import logging
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from spm.cli.views.console import ClosedOutput, note
from spm.registry.errors import SpmError
from spm.registry.garbage import collect_rarely

INTERRUPTED, UNHEARD = 130, 141  # what a shell shows for programs that end by these signals
# Name: "module:attribute" of a function or a group, and the first sentence of its help, which is
# kept here so that `spm --help` and the completion of commands import none of them.
COMMANDS = {
    "menu": (
        "spm.cli.commands.menus.menu:menu",
        "Print the menu for a request: a route that can run, then backups.",
    ),
    "diff": (
        "spm.cli.commands.menus.diff:diff",
        "Build a locked menu again and tell what differs, and why. Exit code 1 when it differs.",
    ),
    "check": (
        "spm.cli.commands.menus.check:check",
        "Replay golden requests; exit code 1 when menus are not good enough, or got worse.",
    ),
    "train": (
        "spm.cli.commands.train:train",
        "Train a model on the registry's trajectories; menus use it from then on.",
    ),
    "eval": (
        "spm.cli.commands.eval:evaluate",
        "Measure menus on requests whose paths are known, with intervals and paired differences.",
    ),
    "mcp": (
        "spm.cli.commands.mcp:mcp",
        "Serve the registry over MCP on stdio: point an MCP client at this command.",
    ),
    "search": (
        "spm.cli.commands.menus.search:search",
        "Find tools by words and meaning: the search that menus begin with.",
    ),
    "path": (
        "spm.cli.commands.graph.path:path",
        "Show how one tool leads to another, or what must run before a tool can.",
    ),
    "cypher": (
        "spm.cli.commands.graph.cypher:cypher",
        "Ask the graph in Cypher. Only reading is possible, on both engines.",
    ),
    "impact": (
        "spm.cli.commands.graph.impact:impact",
        "Show what would happen if a tool or a field went away. Nothing is changed.",
    ),
    "schema": (
        "spm.cli.commands.graph.schema:schema",
        "Show the graph: labels, relationship types, what they carry and mean, and the indexes.",
    ),
    "atlas": (
        "spm.cli.commands.graph.atlas:atlas",
        "Survey the registry: dead ends, single producers, duplicates, unused and failing tools.",
    ),
    "export": (
        "spm.cli.commands.exchange:export",
        "Write the whole registry into one file: a backup, or the way to another engine.",
    ),
    "import": (
        "spm.cli.commands.exchange:import_file",
        "Fill an empty registry from a file that spm export made, whole or not at all.",
    ),
    "serve": (
        "spm.cli.commands.serve:serve",
        "Serve menus over HTTP until it is stopped; the API describes itself at /openapi.json.",
    ),
    "encode": (
        "spm.cli.commands.encode:encode",
        "Encode new and changed texts; with another encoder, all of them.",
    ),
    "demo": (
        "spm.cli.commands.demo:demo",
        "Load the demo: a small shop with nine services, 100 tools and 495 trajectories.",
    ),
    "doctor": (
        "spm.cli.commands.doctor:doctor",
        "Check the store: files, schema, constraints, vectors, the maps of services.",
    ),
    "menus": ("spm.cli.commands.menus.frozen:app", "Freeze menus, look at them, approve calls."),
    "tools": ("spm.cli.commands.tools.tools:app", "Register tools and follow their lives."),
    "traces": ("spm.cli.commands.traces:app", "Import and look at observed trajectories."),
    "fields": (
        "spm.cli.commands.graph.fields:app",
        "List fields, suggest and review links between them.",
    ),
    "dataset": ("spm.cli.commands.dataset:app", "Load data sets with fixed splits."),
    "agent": ("spm.cli.commands.agent:app", "Let a model work with menus."),
    "tokens": ("spm.cli.commands.tokens:app", "API tokens of the service."),
}


class LazyCommand(TyperCommand):
    """Stands for a command, or a group of them, until its arguments are read."""

    def __init__(self, name: str, place: str, help: str) -> None:
        super().__init__(name, help=help)
        self._place = place

    def load(self) -> Any:
        """Import and build the command that this one stands for."""
        module, _, attribute = self._place.partition(":")
        found = getattr(import_module(module), attribute)
        holder = typer.Typer()
        if isinstance(found, typer.Typer):
            holder.add_typer(found, name=self.name)
        else:
            holder.command(self.name)(found)
        return get_group(holder).commands[str(self.name)]

    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        """Read arguments with the command itself, which is the one that runs then."""
        return self.load().make_context(*arguments, **extra)


class LazyGroup(TyperGroup):
    """The commands of `spm`, none of them imported."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (place, help) in COMMANDS.items():
            self.add_command(LazyCommand(name, place, help))


app = typer.Typer(
    cls=LazyGroup,
    help="A tool registry for LLM agents: register tools, see what feeds what, get ordered menus.",
    epilog="Try it: spm demo, then: spm menu 'Email the customer the receipt for order 4821'",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def loaded() -> TyperGroup:
    """The commands of `spm`, all of them imported: for a reference of them, and for tests."""
    group = get_group(app)
    for command in list(group.commands.values()):
        if isinstance(command, LazyCommand):
            group.add_command(command.load())
    return group


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"spm {version('spm-registry')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback when something fails.")
    ] = False,
) -> None:
    """Register tools, ask what feeds what, and put ordered menus in front of agents."""
    del version
    logging.basicConfig(format="%(message)s", level=logging.WARNING, stream=sys.stderr)
    if debug:
        os.environ["SPM_DEBUG"] = "1"


def simple_menu(arguments: list[str]) -> tuple[str, str | None] | None:
    """Request and store of `spm menu` where nothing else was said; None: typer reads it.

    Typer imports pydantic to convert values of options, about 95 of the 560 ms of a cold menu.
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
    simple = simple_menu(arguments)
    if simple is None:
        app(arguments, prog_name="spm")
        return
    from spm.cli.commands.menus.menu import menu

    options()
    menu(simple[0], store=simple[1])


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    collect_rarely()
    return exit_code(lambda: _run(given))


def exit_code(work: Callable[[], None], program: str = "spm") -> int:
    """Run a command and return its exit code; a line on stderr says why it failed."""
    try:
        work()
    except typer.Exit as stop:
        return stop.exit_code
    except KeyboardInterrupt:
        note(f"{program}: interrupted.")
        return INTERRUPTED
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            note(f"{program}: interrupted.")
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except SpmError as error:
        if os.environ.get("SPM_DEBUG"):
            raise
        note(f"{program}: {error}")
        return error.exit_code
    return 0


class _Stdout(io.TextIOWrapper):
    """Standard output that says so in its own words: typer and rich end with 1 at a broken pipe."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except BrokenPipeError as error:
            raise ClosedOutput from error

    def flush(self) -> None:
        try:
            super().flush()
        except BrokenPipeError as error:
            raise ClosedOutput from error


def run() -> None:
    """Entry point of the `spm` script."""
    given = sys.stdout
    if isinstance(given, io.TextIOWrapper):
        sys.stdout = _Stdout(
            given.buffer, given.encoding, given.errors, line_buffering=given.line_buffering
        )
    try:
        code = main()
        sys.stdout.flush()
    except ClosedOutput:
        code = UNHEARD
        # What is still in the buffer would break the pipe again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
