"""`spm menus`: menus that are frozen, so that MCP clients can be pointed at them."""

import getpass
import shlex
from typing import Annotated

import typer

from spm.cli import menu_options
from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.vectors import prepared
from spm.cli.views.console import as_json, note, say, table
from spm.cli.views.menu_table import marked

app = typer.Typer(help="Freeze menus, look at them, approve calls.", no_args_is_help=True)
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The id of a frozen menu.")]


@app.command()
def freeze(
    request: Annotated[str, typer.Argument(help="What the agent should do, in quotes.")],
    state: menu_options.StateOption = None,
    without: menu_options.WithoutOption = None,
    done: menu_options.DoneOption = None,
    observed: menu_options.ObservedOption = None,
    size: menu_options.SizeOption = 32,
    prefix: menu_options.PrefixOption = 8,
    team: menu_options.TeamOption = None,
    scopes: menu_options.ScopesOption = None,
    read_only: menu_options.ReadOnlyOption = False,
    allow_writes: menu_options.AllowWritesOption = False,
    aliases: Annotated[
        bool, typer.Option("--aliases", help="Put ranks into names, for clients that sort.")
    ] = False,
    days: Annotated[float, typer.Option(min=0.01, max=3650, help="How long it is kept.")] = 30.0,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Build a menu and keep it: its tools, order and definitions as they are now.

    The same menu of the same caller has the same id. It belongs to the team of --as.
    """
    known = menu_options.fields(state, observed)
    question = menu_options.question(
        known, without, done, size, prefix, team, scopes, read_only, allow_writes
    )
    with opened(store) as registry:
        prepared(registry)
        menu_options.warn_unknown(registry, known, question["caller"])
        built = registry.menu(request, **question, encode=False)
        kept = registry.frozen_menus.freeze(built, aliases=aliases, days=days)
    if json:
        as_json(kept.as_dict())
        return
    say(kept.menu.id)
    mine = "".join(
        f" {option} {shlex.quote(said)}"
        for option, said in (
            ("--as", team),
            ("--scopes", ",".join(scopes or ())),
            ("--store", store),
        )
        if said
    )
    note(
        f"{len(kept.menu.items)} tools, until {kept.expires}. Serve it with: "
        f"spm mcp --menu {kept.menu.id}{mine}{' --read-only' * read_only}"
    )


@app.command("list")
def list_menus(
    team: menu_options.TeamOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """List frozen menus; with --as those of a team."""
    with opened(store) as registry:
        found = registry.frozen_menus.list(menu_options.caller(team, None, False))
    if json:
        as_json(found)
        return
    rows = [[r["id"], r["team"], len(r["tools"]), r["expires"], r["request"]] for r in found]
    table(["id", "team", "tools", "until", "request"], rows, keep=["id"])


@app.command()
def show(menu: IdArgument, store: StoreOption = None, json: JsonOption = False) -> None:
    """Show a frozen menu, and which of its tools were withdrawn since."""
    with opened(store) as registry:
        kept = registry.frozen_menus.get(menu)
        now = registry.frozen_menus.withdrawn(kept)
    if json:
        as_json({**kept.as_dict(), "withdrawn": now})
        return
    say(f"Request: {kept.menu.request}")
    say(f"Route: {kept.as_dict()['route_line']}")
    say(f"Team: {kept.menu.team or 'the operator'}; until {kept.expires}")
    say()
    rows = [
        [item.rank, item.role, marked(item.alias, item.effects), item.id,
         "withdrawn" if item.id in now else ""]
        for item in kept.menu.items
    ]  # fmt: skip
    table(["#", "role", "name", "tool", ""], rows, keep=["name"])


@app.command()
def remove(menu: IdArgument, store: StoreOption = None, json: JsonOption = False) -> None:
    """Forget a frozen menu; clients find nothing there from then on."""
    with opened(store) as registry:
        gone = registry.frozen_menus.remove(menu)
    as_json({"removed": gone}) if json else say(f"{gone} removed")


@app.command()
def approve(
    menu: IdArgument,
    call: Annotated[str, typer.Argument(metavar="CODE", help="As the refusal of the call said.")],
    minutes: Annotated[float, typer.Option(min=0.1, max=1440, help="How long it waits.")] = 15.0,
    by: Annotated[str, typer.Option("--by", help="Who approves.")] = "",
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Let one refused call of a tool that cannot be undone run once, with the same arguments."""
    with opened(store) as registry:
        done = registry.frozen_menus.approve(
            menu, call, by=by or getpass.getuser(), minutes=minutes
        )
    as_json(done) if json else say(f"Approved once, until {done['expires']}: {call}")
