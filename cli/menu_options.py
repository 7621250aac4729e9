"""Options that describe a menu, and the request built from them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from spm.cli.options import complete_field, complete_tool
from spm.cli.views.console import note

if TYPE_CHECKING:
    from spm.api.registry import Registry
    from spm.registry.access.caller import Caller

StateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--state",
        metavar="FIELD[=VALUE]",
        autocompletion=complete_field,
        help="A field known besides the text; values are not kept. May be repeated.",
    ),
]
WithoutOption = Annotated[
    list[str] | None,
    typer.Option(
        "--without",
        metavar="FIELD",
        autocompletion=complete_field,
        help="A field that the text seems to give and does not. May be repeated.",
    ),
]
DoneOption = Annotated[
    list[str] | None,
    typer.Option(
        "--done",
        metavar="TOOL",
        autocompletion=complete_tool,
        help="A tool that ran already: its outputs are known, it is not offered. In order.",
    ),
]
ObservedOption = Annotated[
    list[str] | None,
    typer.Option(
        "--observed",
        metavar="FIELD",
        autocompletion=complete_field,
        help="A field that a result was seen to carry. May be repeated.",
    ),
]
SizeOption = Annotated[int, typer.Option("-k", "--size", min=1, help="Tools in the menu.")]
PrefixOption = Annotated[int, typer.Option("--prefix", min=1, help="Longest route in front.")]
TeamOption = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="TEAM",
        help="See what this team sees, with every scope unless --scopes says which.",
    ),
]
ScopesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scopes",
        metavar="SCOPE,…",
        help="Only tools that ask for no other scope; '' for a caller without any.",
    ),
]
ReadOnlyOption = Annotated[
    bool, typer.Option("--read-only", help="Only tools that change nothing.")
]

AllowWritesOption = Annotated[
    bool,
    typer.Option("--allow-writes", help="Let tools that change something make inputs too."),
]


def caller(team: str | None, scopes: list[str] | None, read_only: bool) -> "Caller":
    """Who asks: the scopes may be given one by one or with commas between."""
    from spm.registry.access.caller import Caller

    granted = None
    if scopes is not None:
        granted = tuple(dict.fromkeys(s.strip() for text in scopes for s in text.split(",")))
        granted = tuple(filter(None, granted))
    return Caller(team, granted, read_only)


class Question(TypedDict):
    """What is asked besides the request, as `Registry.menu` takes it."""

    state: tuple[str, ...]
    without: tuple[str, ...]
    done: tuple[str, ...]
    size: int
    prefix: int
    caller: "Caller"
    allow_writes: bool


def question(
    state: tuple[str, ...],
    without: list[str] | None,
    done: list[str] | None,
    size: int,
    prefix: int,
    team: str | None,
    scopes: list[str] | None,
    read_only: bool,
    allow_writes: bool,
) -> Question:
    """What the options of a menu mean; `state` are fields that were read by `fields`."""
    return {
        "state": state,
        "without": fields(without),
        "done": tuple(done or ()),
        "size": size,
        "prefix": prefix,
        "caller": caller(team, scopes, read_only),
        "allow_writes": allow_writes,
    }


def fields(*given: Iterable[str] | None) -> tuple[str, ...]:
    """The names of known fields; values are cut off here, so that nothing behind can keep them.

    Raises:
        typer.BadParameter: there is no name before the value.
    """
    found = []
    for text in (text for part in given for text in part or ()):
        name = text.partition("=")[0].strip()
        if not name:
            raise typer.BadParameter(f"expected FIELD or FIELD=VALUE (got {text!r})")
        found.append(name)
    return tuple(dict.fromkeys(found))


def warn_unknown(registry: "Registry", state: tuple[str, ...], who: "Caller") -> None:
    """Say which of these fields no tool that the caller sees has: most likely a misspelling."""
    if not state:
        return
    for name, near in registry.fields.unknown(state, who).items():
        hint = f" Did you mean {near[0]!r}?" if near else ""
        note(f"No tool requires or produces a field {name!r}.{hint}")
