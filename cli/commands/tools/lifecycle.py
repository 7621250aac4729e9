"""`spm tools history | diff | deprecate | approve | lint`: the life of a tool."""

from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.commands.graph.fields import person
from spm.cli.options import JsonOption, StoreOption, complete_tool, opened
from spm.cli.views.console import as_json, note, say, table

if TYPE_CHECKING:
    from spm.registry.catalog.lifecycle import Change

ToolArgument = Annotated[str, typer.Argument(help="Id or name.", autocompletion=complete_tool)]


def history(tool: ToolArgument, store: StoreOption = None, json: JsonOption = False) -> None:
    """List every published version of a tool, also of one that was removed."""
    with opened(store) as registry:
        rows = registry.tools.history(tool)
    if json:
        as_json(rows)
        return
    table(
        ["version", "published", "content"],
        [[r["version"], r["published"], r["content_hash"][:16]] for r in rows],
    )


def diff(
    tool: ToolArgument,
    before: Annotated[str | None, typer.Argument(help="Earlier version.")] = None,
    after: Annotated[str | None, typer.Argument(help="Later version.")] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show what changed between two versions, by default the last two. Exit 1 when it breaks."""
    from dataclasses import asdict

    with opened(store) as registry:
        found = registry.tools.diff(tool, before, after)
    if json:
        as_json({**asdict(found), "breaking": found.breaking})
    else:
        say(f"{found.tool}: {found.before} → {found.after}")
        show_changes(found.changes)
    raise typer.Exit(1 if found.breaking else 0)


def show_changes(changes: "list[Change]") -> None:
    """Print changes as a table, breaking ones marked."""
    table(
        ["", "what", "before", "after"],
        [["!" if c.breaking else "", c.what, c.before, c.after] for c in changes],
        wrap=["before", "after"],
        keep=["what"],
    )


def deprecate(
    tool: ToolArgument,
    successor: Annotated[
        str | None,
        typer.Option("--successor", help="What to use instead.", autocompletion=complete_tool),
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Take a tool out of menus. It stays until it is removed."""
    with opened(store) as registry:
        row = registry.tools.deprecate(tool, successor)
    if json:
        as_json(row)
    else:
        instead = f"; use {row['successor']}" if row["successor"] else ""
        say(f"{row['id']} is deprecated{instead}.")


def approve(
    tools: Annotated[
        list[str] | None, typer.Argument(help="Ids or names.", autocompletion=complete_tool)
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All tools, as the baseline for --pin.")
    ] = False,
    by: Annotated[str, typer.Option("--by", help="Who approves.")] = "",
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Approve tools as they are now. Without names, list what waits in quarantine."""
    with opened(store) as registry:
        if not tools and not everything:
            waiting = registry.tools.waiting()
            approved = None
        elif everything:
            approved = registry.tools.approve_all(by=by or person())
        else:
            approved = registry.tools.approve(tools or [], by=by or person())
    if approved is None:
        if json:
            as_json(waiting)
        elif waiting:
            rows = [
                [r["id"], r["version"], "changed" if r["approved_hash"] else "new"] for r in waiting
            ]
            table(["waits for approval", "version", "why"], rows, keep=["waits for approval"])
        else:
            note("Nothing waits for approval.")
        return
    as_json({"approved": approved}) if json else say(f"{len(approved)} tools approved")


def lint(
    sources: Annotated[
        list[str] | None, typer.Argument(help="Sources to judge; left out, the whole registry.")
    ] = None,
    from_: Annotated[str | None, typer.Option("--from", help="Format of the sources.")] = None,
    minimum: Annotated[
        int, typer.Option("--minimum", min=0, max=100, help="Exit 1 when a tool scores less.")
    ] = 0,
    count: Annotated[int, typer.Option("--count", min=1, help="Show so many tools.")] = 20,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Say what in tools' descriptions will hurt a menu, worst first, and what to change."""
    from spm.registry.catalog.lint_sources import as_row

    with opened(store, new=bool(sources)) as registry:
        verdicts = registry.tools.lint(*(sources or []), format=from_)
    worst = min((v.score for v in verdicts), default=100)
    mean = round(sum(v.score for v in verdicts) / len(verdicts)) if verdicts else 100
    if json:
        as_json({"mean": mean, "worst": worst, "tools": [as_row(v) for v in verdicts]})
    else:
        for verdict in [v for v in verdicts if v.remarks][:count]:
            say(f"{verdict.tool}  {verdict.score}")
            for remark in verdict.remarks:
                say(f"  {remark.where}: {remark.advice} [{remark.rule}]")
        note(f"{len(verdicts)} tools, mean score {mean}, worst {worst}")
    raise typer.Exit(1 if worst < minimum else 0)
