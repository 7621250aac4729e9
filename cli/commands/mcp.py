"""`spm mcp`: the registry, or one frozen menu, as an MCP server on standard input and output."""

import os
from typing import Annotated

import typer

from spm.cli import menu_options
from spm.cli.options import BackendsOption, StoreOption, opened
from spm.cli.vectors import prepared


def mcp(
    menu: Annotated[
        str | None,
        typer.Option("--menu", metavar="ID", help="Serve this frozen menu: its tools, in order."),
    ] = None,
    backends: BackendsOption = None,
    team: menu_options.TeamOption = None,
    scopes: menu_options.ScopesOption = None,
    read_only: menu_options.ReadOnlyOption = False,
    store: StoreOption = None,
) -> None:
    """Serve the registry over MCP on stdio: point an MCP client at this command.

    It offers build_menu, find_path, explain_menu and search_tools. With --menu it offers exactly
    the tools of a frozen menu instead (spm menus freeze) and forwards calls to their backends.
    What the client sees is decided by --as, --scopes and --read-only.
    """
    _installed()
    from spm.registry.calling.backends import ENVIRONMENT, read_backends
    from spm.service.mcp.stdio import serve, serve_menu

    caller = menu_options.caller(team, scopes, read_only)
    known = read_backends(backends or os.environ.get(ENVIRONMENT))
    with opened(store) as registry:
        prepared(registry)
    serve_menu(store, caller, menu, known) if menu else serve(store, caller)


def _installed() -> None:
    from importlib.util import find_spec

    from spm.registry.errors import InputError

    if not (find_spec("mcp") and find_spec("fastapi")):
        raise InputError(
            "The MCP server is not installed. Install it with: pip install 'spm-registry[serve]'"
        )
