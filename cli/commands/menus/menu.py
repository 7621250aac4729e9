"""`spm menu`: the tools an agent should see, in an order it can execute."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli import asking
from spm.cli.files import write
from spm.cli.menutable import show, show_reasons, show_why_not
from spm.cli.options import JsonOption, StoreOption, complete_tool, opened
from spm.cli.output import as_json, note, say
from spm.cli.pictures import HtmlOption

if TYPE_CHECKING:
    from spm.registry.menus.serving import Serving


class Format(StrEnum):
    """How a menu is printed."""

    table = "table"
    json = "json"
    names = "names"
    markdown = "markdown"
    openai = "openai"
    openai_responses = "openai-responses"
    anthropic = "anthropic"
    mcp = "mcp"
    tool_reference = "tool-reference"
    tool_search_output = "tool-search-output"


FormatOption = Annotated[
    Format,
    typer.Option(
        "--format",
        help="How to print. From openai on: definitions to paste into a call of that provider.",
    ),
]
BudgetOption = Annotated[
    int | None,
    typer.Option(
        "--token-budget",
        metavar="N",
        min=1,
        help="Keep what fits: the route, then backups. Counts the bytes of definitions by four.",
    ),
]
AliasesOption = Annotated[
    bool,
    typer.Option(
        "--aliases", help="Put ranks into names (01_lookup_order), for clients that sort."
    ),
]
NamesOption = Annotated[
    Path | None,
    typer.Option("--names", metavar="FILE", help="Also write which name stands for which tool."),
]
ExplainOption = Annotated[
    bool, typer.Option("--explain", help="Show score terms, and the edges behind every tool.")
]
WhyNotOption = Annotated[
    str | None,
    typer.Option(
        "--why-not",
        metavar="TOOL",
        autocompletion=complete_tool,
        help="Say instead why a tool is not in the menu, and what would admit it.",
    ),
]
LockOption = Annotated[
    Path | None,
    typer.Option(
        "--lock", metavar="FILE", help="Also write a lock, to compare with: spm diff FILE"
    ),
]


def menu(
    request: Annotated[str, typer.Argument(help="What the agent should do, in quotes.")],
    state: asking.StateOption = None,
    have: asking.HaveOption = None,
    without: asking.WithoutOption = None,
    done: asking.DoneOption = None,
    observed: asking.ObservedOption = None,
    size: asking.SizeOption = 32,
    prefix: asking.PrefixOption = 8,
    token_budget: BudgetOption = None,
    team: asking.TeamOption = None,
    scopes: asking.ScopesOption = None,
    read_only: asking.ReadOnlyOption = False,
    format: FormatOption = Format.table,
    aliases: AliasesOption = False,
    names: NamesOption = None,
    explain: ExplainOption = False,
    why_not: WhyNotOption = None,
    lock: LockOption = None,
    html: HtmlOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Print the menu for a request: a route that can run, then backups.

    After a step, ask again with --done TOOL, and --observed FIELD for what its result carried.
    """
    from spm.registry.menus.serving import serve
    from spm.registry.ranking import Ask

    shape = Format.json if json else format
    if explain and shape not in (Format.table, Format.json):
        raise typer.BadParameter("--explain goes with --format table or json")
    known = asking.fields(state, have, observed)
    who = asking.caller(team, scopes, read_only)
    ask = Ask(request, known, size, prefix, who, tuple(done or ()), asking.fields(without))
    with opened(store) as registry:
        asking.prepared(registry)
        asking.warn_unknown(registry, known)
        if why_not:
            found = registry.why_not(ask, why_not)
            as_json(found) if shape is Format.json else show_why_not(found)
            return
        ask = registry.resolved(ask)
        built = registry.answer(ask)
        ready = serve(registry.store, built, shape, ranked=aliases, budget=token_budget)
        if lock:
            from spm.registry.menus.lockfile import lock as locked

            kept = locked(
                registry.store, ask, ready.menu, budget=token_budget, format=shape, aliases=aliases
            )
            write(lock, kept.text())
            note(f"Lock written to {lock}")
    for line in ready.notes():
        note(line)
    _beside(ready, names, html)
    _print(ready, shape, aliases=aliases, explain=explain)
    if not ready.menu.items:
        raise typer.Exit(1)


def _beside(ready: "Serving", names: Path | None, html: Path | None) -> None:
    """Write the files that were asked for."""
    if names:
        import json

        write(names, json.dumps(ready.key(), indent=2, ensure_ascii=True) + "\n")
        note(f"Names written to {names}")
    if html:
        from spm.registry.pictures.menus import draw_menu
        from spm.registry.pictures.rendering import render

        write(html, render(draw_menu(ready.menu), "html"))
        note(f"Picture written to {html}")


def _print(ready: "Serving", shape: Format, *, aliases: bool, explain: bool) -> None:
    match shape:
        case Format.json:
            as_json(ready.as_dict())
        case Format.names | Format.markdown:
            for line in ready.text(shape, aliases=aliases).splitlines():
                say(line)
        case Format.table:
            (show_reasons if explain else show)(ready.menu, ready.called(aliases))
        case _:
            as_json(ready.definitions())
            waits = ready.key()["review"]
            if waits:
                note(f"Destructive, let a person approve each call: {', '.join(waits)}")
