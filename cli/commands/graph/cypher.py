"""`spm cypher`: read-only questions in Cypher, own or saved."""

import json as jsonlib
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from spm.cli.options import JsonOption, StoreOption, complete_saved, opened
from spm.cli.views.console import as_json, note, table
from spm.cli.views.pictures import HtmlOption, Picture, PictureOption, drawn


def cypher(
    query: Annotated[str | None, typer.Argument(help="A read-only query.")] = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="K=V", help="A parameter; V is JSON, or else text."),
    ] = None,
    saved: Annotated[
        str | None,
        typer.Option("--saved", help="Run a saved query.", autocompletion=complete_saved),
    ] = None,
    list_saved: Annotated[bool, typer.Option("--list", help="List the saved queries.")] = False,
    format: PictureOption = Picture.table,
    html: HtmlOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Ask the graph in Cypher. Only reading is possible, on both engines.

    Paths print as lines. EXPLAIN or PROFILE before a query shows how the engine runs it. Names that
    the graph does not have are warned about; spm schema shows those that it has.
    """
    if list_saved:
        _list(json)
        return
    if (query is None) == (saved is None):
        raise typer.BadParameter("Give a query, or --saved NAME; see the names with --list.")
    from spm.registry.pictures.graphs import draw_answer
    from spm.registry.pictures.path_text import short

    params = dict(_parameter(p) for p in param or [])
    known = complete_saved("")
    if saved is not None and saved not in known:
        raise typer.BadParameter(f"No saved query {saved!r}. There are: {', '.join(known)}")
    with opened(store) as registry:
        ask = registry.saved_query if saved else registry.cypher
        answer = ask(saved or query or "", params)
    for line in answer.warnings:
        note(f"Warning: {line}")
    if answer.truncated:
        note(f"Only the first {len(answer.rows):,} rows are shown; add LIMIT or narrow the query.")
    if drawn(lambda: draw_answer(answer), format, html):
        return
    if json or format is Picture.json:
        as_json(short(answer.rows))
        return
    table(
        answer.columns,
        [[_cell(row.get(column)) for column in answer.columns] for row in answer.rows],
        wrap=answer.columns,
    )
    note(f"{len(answer.rows)} rows")


def _list(json: bool) -> None:
    from spm.cypher import load, names

    queries = [load(name) for name in names("saved")]
    if json:
        as_json(
            [
                {
                    "name": q.name.removeprefix("saved/"),
                    "doc": q.doc,
                    "params": _asked(q.params),
                    "returns": list(q.returns),
                    "query": q.text,
                }
                for q in queries
            ]
        )
        return
    rows = [[q.name.removeprefix("saved/"), ", ".join(_asked(q.params)), q.doc] for q in queries]
    table(["query", "params", "what it answers"], rows, wrap=["what it answers"])


def _asked(params: Iterable[str]) -> list[str]:
    """What a person gives; who asks is known."""
    from spm.registry.access.caller import EVERYTHING

    return [name for name in params if name not in EVERYTHING.params()]


def _parameter(text: str) -> tuple[str, Any]:
    name, found, value = text.partition("=")
    if not found or not name.isidentifier():
        raise typer.BadParameter(f"--param takes NAME=VALUE (got {text!r}).")
    try:
        return name, jsonlib.loads(value)
    except (ValueError, RecursionError):
        return name, value


def _cell(value: Any) -> object:
    from spm.registry.pictures.path_text import is_node, is_path, line, node_name

    if is_path(value):
        return line(value)
    if is_node(value):
        return node_name(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    if isinstance(value, dict | list):
        return jsonlib.dumps(value, ensure_ascii=False)
    return value
