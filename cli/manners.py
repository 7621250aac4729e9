"""How `spm` behaves whichever command runs: its help, its version, its global options."""

import logging
import os
import sys
from typing import Annotated

import typer


def commands() -> typer.Typer:
    """A tree without commands, with the manners of all."""
    app = typer.Typer(
        help="A tool registry for LLM agents: register tools, see what feeds what, get ordered "
        "menus.",
        epilog="Try it: spm demo, then: spm menu 'Email the customer the receipt for order 4821'",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(options)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"spm {version('spm-registry')}")
        raise typer.Exit


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
