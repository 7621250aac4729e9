"""`spm menu`: the tools an agent should see, in an order it can execute."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli import menu_options
from spm.cli.options import DeviceOption, JsonOption, StoreOption, complete_tool, opened
from spm.cli.vectors import prepared
from spm.cli.views.console import as_json, note, progress, say
from spm.cli.views.files import write
from spm.cli.views.menu_table import show, show_line, show_reasons, show_why_not
from spm.cli.views.pictures import HtmlOption
from spm.registry.menus.formats import MenuFormat, PrintedFormat

if TYPE_CHECKING:
    from spm.registry.menus.export import ExportedMenu
    from spm.registry.menus.lockfile import Lock


FormatOption = Annotated[
    PrintedFormat,
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
RequestArgument = Annotated[
    str | None, typer.Argument(help="What the agent should do, in quotes.", show_default=False)
]
RequestsOption = Annotated[
    Path | None,
    typer.Option(
        "--requests",
        metavar="FILE",
        help='Build many menus together instead: a request in each line, or {"request": "…", '
        '"state": ["field", …]}. A line comes out for each, of JSON with --json.',
    ),
]
LockOption = Annotated[
    Path | None,
    typer.Option(
        "--lock", metavar="FILE", help="Also write a lock, to compare with: spm diff FILE"
    ),
]


def menu(
    request: RequestArgument = None,
    requests: RequestsOption = None,
    state: menu_options.StateOption = None,
    without: menu_options.WithoutOption = None,
    done: menu_options.DoneOption = None,
    observed: menu_options.ObservedOption = None,
    size: menu_options.SizeOption = 32,
    prefix: menu_options.PrefixOption = 8,
    token_budget: BudgetOption = None,
    team: menu_options.TeamOption = None,
    scopes: menu_options.ScopesOption = None,
    read_only: menu_options.ReadOnlyOption = False,
    allow_writes: menu_options.AllowWritesOption = False,
    format: FormatOption = "table",
    aliases: AliasesOption = False,
    names: NamesOption = None,
    explain: ExplainOption = False,
    why_not: WhyNotOption = None,
    lock: LockOption = None,
    html: HtmlOption = None,
    device: DeviceOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Print the menu for a request: a route that can run, then backups.

    After a step, ask again with --done TOOL, and --observed FIELD for what its result carried.
    """
    shape: PrintedFormat = "json" if json else format
    if explain and shape not in ("table", "json"):
        raise typer.BadParameter("--explain goes with --format table or json")
    known = menu_options.fields(state, observed)
    question = menu_options.question(
        known, without, done, size, prefix, team, scopes, read_only, allow_writes
    )
    written = None if shape == "table" else shape  # the format of definitions
    if requests is not None or request is None:
        single = any((request, names, why_not, lock, html, explain, shape not in ("table", "json")))
        _many(requests, single, question, written, aliases, token_budget, store)
        return
    with opened(store) as registry:
        prepared(registry)
        menu_options.warn_unknown(registry, known, question["caller"])
        if why_not:
            found = registry.why_not(request, why_not, **question)
            as_json(found) if shape == "json" else show_why_not(found)
            return
        built = registry.menu(request, **question, encode=False)
        ready = built.export(written, aliases=aliases, token_budget=token_budget)
        kept = built.lock(written, aliases=aliases, token_budget=token_budget) if lock else None
        if not built.items and question["caller"].restricted:
            note(registry.none_visible(question["caller"]))
        effects = built.effects_reasons() if explain else None
    for line in ready.notes():
        note(line)
    _beside(ready, names, html, lock, kept)
    _print(ready, shape, aliases, effects)
    if not ready.menu.items:
        raise typer.Exit(1)


def _many(
    file: Path | None,
    single: bool,
    question: menu_options.Question,
    written: MenuFormat | None,
    aliases: bool,
    token_budget: int | None,
    store: str | None,
) -> None:
    """Print a line for each menu of a file of requests; `single`: an option is for one request."""
    from dataclasses import replace

    from spm.registry.menus.golden import read_requests
    from spm.registry.menus.menu import Ask

    if file is None:
        raise typer.BadParameter("give a request in quotes, or a file of them with --requests")
    if single:
        raise typer.BadParameter(
            "--requests goes with options of the question, --token-budget, --aliases and --json"
        )
    asks = [
        replace(Ask(one.request, **question), state=(*question["state"], *one.state))
        for one in read_requests(file)
    ]
    with opened(store) as registry:
        prepared(registry)
        with progress("Building menus") as bar:
            built = registry.menus(asks, encode=False, progress=bar)
        for menu in built:
            ready = menu.export(written, aliases=aliases, token_budget=token_budget)
            if written:
                as_json(ready.as_dict(), compact=True)
            else:
                show_line(ready.menu, ready.called(aliases))


def _beside(
    ready: "ExportedMenu",
    names: Path | None,
    html: Path | None,
    lock: Path | None,
    kept: "Lock | None",
) -> None:
    """Write the files that were asked for."""
    if lock and kept:
        write(lock, kept.text())
        note(f"Lock written to {lock}")
    if names:
        import json

        write(names, json.dumps(ready.key(), indent=2, ensure_ascii=True) + "\n")
        note(f"Names written to {names}")
    if html:
        from spm.registry.pictures.formats import render
        from spm.registry.pictures.menu import draw_menu

        write(html, render(draw_menu(ready.menu), "html"))
        note(f"Picture written to {html}")


def _print(
    ready: "ExportedMenu",
    shape: PrintedFormat,
    aliases: bool,
    effects: dict[str, list[str]] | None,
) -> None:
    match shape:
        case "json":
            as_json(ready.as_dict())
        case "names" | "markdown":
            for line in ready.text(shape, aliases=aliases).splitlines():
                say(line)
        case "table":
            if effects is None:
                show(ready.menu, ready.called(aliases))
            else:
                show_reasons(ready.menu, ready.called(aliases), effects)
        case _:
            as_json(ready.definitions())
            waits = ready.key()["review"]
            if waits:
                note(f"Destructive, let a person approve each call: {', '.join(waits)}")
