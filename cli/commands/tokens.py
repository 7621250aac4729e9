"""`spm tokens`: API tokens of the service."""

from dataclasses import asdict
from typing import Annotated

import typer

from spm.cli import menu_options
from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, say, table

app = typer.Typer(help="API tokens of the service.", no_args_is_help=True)


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Whose it is, for people.")],
    team: Annotated[
        str | None, typer.Option("--team", help="The team it stands for; none: sees everything.")
    ] = None,
    scopes: menu_options.ScopesOption = None,
    read_only: menu_options.ReadOnlyOption = False,
    may: Annotated[
        list[str] | None,
        typer.Option(
            "--may", help="read (the default), traces, call, metrics or register; repeated: all."
        ),
    ] = None,
    days: Annotated[
        float, typer.Option("--days", min=0.001, max=3650, help="How long it is good.")
    ] = 90,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Create a token and print its secret, this once: only a hash of it is kept."""
    caller = menu_options.caller(team, scopes, read_only)
    with opened(store, new=True) as registry:
        chosen = tuple(may) if may else ("read",)
        secret, made = registry.tokens.create(name, caller, may=chosen, days=days)
    if json:
        as_json({"secret": secret, **asdict(made)})
        return
    say(secret)
    whom = f"team {made.team}" if made.team else "the operator: it sees every tool"
    if made.team and made.scopes is None:
        whom += ", with every scope"
    note(f"For {whom}, to {', '.join(made.may)}, until {made.expires}.")
    note("Send it as: Authorization: Bearer … It is not shown again.")


@app.command("list")
def list_tokens(store: StoreOption = None, json: JsonOption = False) -> None:
    """List tokens with whom they stand for and until when."""
    with opened(store) as registry:
        found = registry.tokens.list()
    if json:
        as_json([{**asdict(token), "status": token.status()} for token in found])
        return
    table(
        ["token", "name", "team", "scopes", "may", "status", "expires"],
        [
            [t.short, t.name, t.team or "operator", _scopes(t.scopes, t.read_only),
             ", ".join(t.may), t.status(), t.expires]
            for t in found
        ],
        keep=["token", "name"],
    )  # fmt: skip
    note(f"{len(found)} tokens")


@app.command()
def revoke(
    token: Annotated[str, typer.Argument(help="Its name, or the beginning of its id.")],
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Take a token back; running services notice within five seconds."""
    with opened(store) as registry:
        gone = registry.tokens.revoke(token)
    as_json({"revoked": gone.id}) if json else say(f"Revoked {gone.name} ({gone.short})")


def _scopes(scopes: tuple[str, ...] | None, read_only: bool) -> str:
    granted = "all" if scopes is None else ", ".join(scopes) or "none"
    return f"{granted}, read only" if read_only else granted
