"""`spm tools access`: who may see tools, set beside what their source says."""

from typing import Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, complete_tool, opened
from spm.cli.views.console import as_json, note, table

OwnerOption = Annotated[
    str | None, typer.Option("--owner", metavar="TEAM", help="The team that owns the tools.")
]
VisibilityOption = Annotated[
    str | None,
    typer.Option(
        "--visibility", metavar="public|team", help="Whether all see the tools, or their owner."
    ),
]
ScopesOption = Annotated[
    list[str] | None,
    typer.Option("--scopes", metavar="SCOPE,…", help="What callers need; '' for nothing."),
]


def listed(scopes: list[str] | None) -> list[str] | None:
    """Scopes that were given one by one or with commas between; None where none were given."""
    if scopes is None:
        return None
    return [scope.strip() for text in scopes for scope in text.split(",") if scope.strip()]


def access(
    pattern: Annotated[
        str, typer.Argument(help="Id or name; * stands for anything.", autocompletion=complete_tool)
    ] = "*",
    owner: OwnerOption = None,
    visibility: VisibilityOption = None,
    scopes: ScopesOption = None,
    as_source: Annotated[
        bool, typer.Option("--as-source", help="Take back what was set; the source's words hold.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Set who may see tools, or list it. It holds when their source is registered again.

    SERVICE/* is about all tools of a service, also about those that come later.
    """
    given = owner is not None or visibility is not None or scopes is not None
    if given and as_source:
        raise typer.BadParameter("--as-source takes back what the other options set; give it alone")
    with opened(store) as registry:
        changed: list[str] = []
        if as_source:
            changed = registry.tools.reset_access(pattern)
        elif given:
            changed = registry.tools.set_access(
                pattern, owner=owner, visibility=visibility, scopes=listed(scopes)
            )
        rows = registry.tools.access(pattern)
    if json:
        as_json({"changed": changed, "tools": rows})
        return
    columns = ["tool", "owner", "visibility", "scopes", "set by people"]
    table(
        columns,
        [
            [r["id"], r["owner"], r["visibility"], ", ".join(r["scopes"]), ", ".join(r["set"])]
            for r in rows
        ],
        keep=["tool"],
    )
    note(
        f"{len(rows)} tools, {len(changed)} changed" if given or as_source else f"{len(rows)} tools"
    )
