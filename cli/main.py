"""The `spm` command: groups, global manners, and the one place where errors become exit codes.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 the store cannot be used, 130 interrupted,
141 nobody reads the output any more.
"""

import io
import logging
import os
import sys
from typing import Annotated

# BLAS reads this when numpy is loaded: on a shared machine one thread was measured to be
# faster than several, and a menu multiplies only small matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import typer

from spm.cli import (
    agent,
    atlas,
    bench,
    check,
    cypher,
    dataset,
    demo,
    diff,
    doctor,
    encode,
    eval,
    exchange,
    fields,
    impact,
    mcp,
    menu,
    menus,
    path,
    serve,
    tokens,
    tools,
    traces,
    train,
)
from spm.cli.output import Unheard, note
from spm.registry.errors import SpmError

INTERRUPTED, UNHEARD = 130, 141  # what a shell shows for programs that end by these signals

app = typer.Typer(
    help="A tool registry for LLM agents: register tools, see what feeds what, get ordered menus.",
    epilog="Try it: spm demo, then: spm menu 'Email the customer the receipt for order 4821'",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("menu")(menu.menu)
app.add_typer(menus.app, name="menus")
app.command("diff")(diff.diff)
app.command("check")(check.check)
app.add_typer(tools.app, name="tools")
app.add_typer(traces.app, name="traces")
app.add_typer(fields.app, name="fields")
app.add_typer(bench.app, name="bench")
app.add_typer(dataset.app, name="dataset")
app.command("train")(train.train)
app.command("eval")(eval.evaluate)
app.add_typer(agent.app, name="agent")
app.command("mcp")(mcp.mcp)
app.command("path")(path.path)
app.command("cypher")(cypher.cypher)
app.command("impact")(impact.impact)
app.command("atlas")(atlas.atlas)
app.command("export")(exchange.export)
app.command("import")(exchange.import_file)
app.command("serve")(serve.serve)
app.add_typer(tokens.app, name="tokens")
app.command("encode")(encode.encode)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)


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


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit code."""
    try:
        app(arguments, prog_name="spm")
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
