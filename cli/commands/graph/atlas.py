"""`spm atlas`: the health of the whole registry, without a request."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, say, table

if TYPE_CHECKING:
    from spm.registry.insight.atlas import Atlas


def atlas(
    visible: Annotated[
        list[str] | None,
        typer.Option("--visible", help="A field that users say themselves; may be repeated."),
    ] = None,
    errors: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="From which share of failed calls on.")
    ] = 0.2,
    limit: Annotated[int, typer.Option(min=1, help="Lines of each list; JSON has all.")] = 10,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Survey the registry: dead ends, single producers, duplicates, unused and failing tools."""
    with opened(store) as registry:
        found = registry.atlas(visible or [], error_share=errors)
    if json:
        as_json(found)
    elif found.tools:
        _show(found, limit)
    else:
        note("No tools. Register some with: spm tools register MANIFEST, or load: spm demo")


def _show(found: "Atlas", limit: int) -> None:
    say(f"{found.tools} tools, {found.active} of them active, {found.fields} fields")
    _list(
        "Required fields that no tool makes: users have to say them",
        ["field", "consumers", "for example"],
        [[a.field, a.consumers, ", ".join(a.examples)] for a in found.asked],
        limit,
    )
    _list(
        "Tools that nobody can come to",
        ["tool", "waits for"],
        [[u.tool, "\n".join(map(_missing, u.missing.items()))] for u in found.unreachable],
        limit,
    )
    _list(
        "Fields that stand on one tool",
        ["field", "producer", "consumers"],
        [[s.field, s.producer, s.consumers] for s in found.single_producers],
        limit,
    )
    _list(
        "Tools that take and give the same",
        ["tools"],
        [["\n".join(group)] for group in found.duplicates],
        limit,
    )
    _list(
        "Tools that fail often",
        ["tool", "calls", "errors", "share"],
        [[f.tool, f.calls, f.errors, f"{f.share:.0%}"] for f in found.failing],
        limit,
    )
    for title, tools in (
        ("Tools without outputs", found.without_outputs),
        ("Tools without a description", found.without_description),
        ("Tools that no trajectory used", found.unused),
    ):
        _list(title, ["tool"], [[tool] for tool in tools], limit)


def _missing(wait: tuple[str, list[str]]) -> str:
    field, makers = wait
    more = f" and {len(makers) - 3} more" if len(makers) > 3 else ""
    return f"{field} from {', '.join(makers[:3])}{more}"


def _list(title: str, columns: list[str], rows: list[list[Any]], limit: int) -> None:
    say()
    say(f"{title}: {len(rows) or 'none'}")
    if rows:
        table(columns, rows[:limit], wrap=["waits for", "for example", "tools"])
    if len(rows) > limit:
        say(f"… and {len(rows) - limit} more; see them with --limit {len(rows)} or --json")
