"""What can be said about a menu on the command line, and the question made of it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import complete_field, complete_tool
from spm.cli.output import note

if TYPE_CHECKING:
    from spm.registry import Registry
    from spm.registry.access import Caller

StateOption = Annotated[
    list[str] | None,
    typer.Option(
        "--state",
        metavar="FIELD[=VALUE]",
        autocompletion=complete_field,
        help="A field known besides the text; values are not kept. May be repeated.",
    ),
]
HaveOption = Annotated[
    list[str] | None, typer.Option("--have", hidden=True, help="The old name of --state.")
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
    str | None, typer.Option("--as", metavar="TEAM", help="See what this team sees.")
]
ScopesOption = Annotated[
    list[str] | None,
    typer.Option("--scopes", metavar="SCOPE,…", help="Only tools that ask for no other scope."),
]
ReadOnlyOption = Annotated[
    bool, typer.Option("--read-only", help="Only tools that change nothing.")
]


def caller(team: str | None, scopes: list[str] | None, read_only: bool) -> "Caller":
    """Who asks: the scopes may be given one by one or with commas between."""
    from spm.registry.access import Caller

    granted = None
    if scopes is not None:
        granted = tuple(dict.fromkeys(s.strip() for text in scopes for s in text.split(",")))
        granted = tuple(filter(None, granted))
    return Caller(team, granted, read_only)


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


def warn_unknown(registry: "Registry", state: tuple[str, ...]) -> None:
    """Say which of these fields no tool knows: most likely they are misspelled."""
    from spm.registry.state import given, vocabulary

    if not state:
        return
    for name, near in given(state, vocabulary(registry.store)).unknown.items():
        hint = f" Did you mean {near[0]!r}?" if near else ""
        note(f"No tool requires or produces a field {name!r}.{hint}")


def prepared(registry: "Registry") -> None:
    """Make the vectors that are missing, so that a menu can be built."""
    from spm.gnn.snapshot.serving import snapshots_of

    # Only a complete registry has a snapshot; asking it does not even open the graph.
    if snapshots_of(registry.store).current() is None and not registry.encoded():
        from spm.cli.vectors import encode

        encode(registry)
