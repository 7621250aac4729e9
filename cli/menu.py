"""`spm menu`: the tools an agent should see, in an order it can execute."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.output import as_json, note, say, table

if TYPE_CHECKING:
    from spm.registry import Menu, MenuItem


class Format(StrEnum):
    """How a menu is printed."""

    table = "table"
    json = "json"
    names = "names"


def menu(
    request: Annotated[str, typer.Argument(help="What the agent should do, in quotes.")],
    have: Annotated[
        list[str] | None, typer.Option("--have", help="A field known besides the text.")
    ] = None,
    size: Annotated[int, typer.Option("-k", "--size", min=1, help="Tools in the menu.")] = 32,
    prefix: Annotated[int, typer.Option(min=1, help="Longest route in front.")] = 8,
    format: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.table,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Print the menu for a request: a route that can run, then backups."""
    from spm.cli.vectors import encode
    from spm.gnn.encoder import load_encoder
    from spm.registry.plain import PlainRanker

    with opened(store) as registry:
        if not registry.encoded():
            encode(registry)
        built = registry.menu(
            request,
            PlainRanker(registry.store, load_encoder),
            have=have,
            size=size,
            prefix=prefix,
        )
    for line in built.notes:
        note(line)
    match Format.json if json else format:
        case Format.json:
            as_json(built)
        case Format.names:
            for item in built.items:
                say(item.name)
        case Format.table:
            _show(built)
    if not built.items:
        raise typer.Exit(1)


def _show(built: "Menu") -> None:
    if not built.items:
        return
    names = {item.id: item.name for item in built.items}
    say("Route: " + " → ".join(names[tool] for tool in built.route))
    say(f"Visible: {', '.join(built.state) or 'no field'}; {built.traces} similar traces")
    say()
    route = [item for item in built.items if item.role != "backup"]
    table(
        ["#", "role", "tool", "needs", "gives"],
        [[i.rank, i.role, _named(i), _needs(i, names), ", ".join(i.gives)] for i in route],
        wrap=["needs", "gives"],
        keep=["role", "tool"],
    )
    backups = [item for item in built.items if item.role == "backup"]
    if backups:
        say()
        rows = [[i.rank, _named(i), i.description] for i in backups]
        table(["#", "backup", "what it does"], rows, keep=["backup"])


def _named(item: "MenuItem") -> str:
    return f"{item.name} (!)" if item.effects == "destructive" else item.name


def _needs(item: "MenuItem", names: dict[str, str]) -> str:
    return "\n".join(
        f"{field} ← {names.get(sources[0], sources[0]) if sources else 'user'}"
        for field, sources in item.needs.items()
    )
