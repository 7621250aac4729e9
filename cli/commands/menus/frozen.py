"""`spm menus`: menus that are frozen, so that MCP clients can be pointed at them."""

import getpass
import shlex
from typing import Annotated

import typer

from spm.cli import asking
from spm.cli.menutable import marked
from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.output import as_json, note, say, table

app = typer.Typer(help="Freeze menus, look at them, approve calls.", no_args_is_help=True)
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="The id of a frozen menu.")]


@app.command()
def freeze(
    request: Annotated[str, typer.Argument(help="What the agent should do, in quotes.")],
    state: asking.StateOption = None,
    without: asking.WithoutOption = None,
    done: asking.DoneOption = None,
    observed: asking.ObservedOption = None,
    size: asking.SizeOption = 32,
    prefix: asking.PrefixOption = 8,
    team: asking.TeamOption = None,
    scopes: asking.ScopesOption = None,
    read_only: asking.ReadOnlyOption = False,
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
    from spm.registry import frozen
    from spm.registry.ranking import Ask

    known = asking.fields(state, observed)
    who = asking.caller(team, scopes, read_only)
    ask = Ask(request, known, size, prefix, who, tuple(done or ()), asking.fields(without))
    with opened(store) as registry:
        asking.prepared(registry)
        asking.warn_unknown(registry, known)
        ask = registry.resolved(ask)
        kept = frozen.freeze(registry.store, ask, registry.answer(ask), ranked=aliases, days=days)
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
    team: asking.TeamOption = None, store: StoreOption = None, json: JsonOption = False
) -> None:
    """List frozen menus; with --as those of a team."""
    from spm.registry import frozen
    from spm.registry.access import Caller

    with opened(store) as registry:
        found = frozen.listed(registry.store, Caller(team))
    if json:
        as_json(found)
        return
    rows = [[r["id"], r["team"], len(r["tools"]), r["expires"], r["request"]] for r in found]
    table(["id", "team", "tools", "until", "request"], rows, keep=["id"])


@app.command()
def show(menu: IdArgument, store: StoreOption = None, json: JsonOption = False) -> None:
    """Show a frozen menu, and which of its tools were withdrawn since."""
    from spm.registry import frozen
    from spm.registry.access import Caller
    from spm.registry.menus.sight import visible

    with opened(store) as registry:
        kept = frozen.get(registry.store, menu, Caller())
        now = kept.menu.withdrawn(
            visible(registry.store, [item.id for item in kept.menu.items], kept.menu.caller)
        )
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
    from spm.registry import frozen
    from spm.registry.access import Caller

    with opened(store) as registry:
        gone = frozen.remove(registry.store, menu, Caller())
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
    from spm.registry import frozen

    with opened(store) as registry:
        done = frozen.approve(
            registry.store, call, menu, by=by or getpass.getuser(), minutes=minutes
        )
    as_json(done) if json else say(f"Approved once, until {done['expires']}: {call}")
