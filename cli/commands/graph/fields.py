"""`spm fields`: the names in which tools meet."""

import getpass
from typing import Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, complete_field, opened
from spm.cli.views.console import as_json, note, say, table

app = typer.Typer(help="List fields, suggest and review links between them.", no_args_is_help=True)
FieldArgument = Annotated[str, typer.Argument(autocompletion=complete_field)]
ByOption = Annotated[str, typer.Option("--by", help="Who reviewed it.")]


def person() -> str:
    """Who is at the keyboard, for edges that say who reviewed them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


@app.command("list")
def list_fields(
    unproduced: Annotated[
        bool, typer.Option("--unproduced", help="Only required fields that nobody produces.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """List fields with who takes and makes them, and what a person said that they are."""
    with opened(store) as registry:
        rows = registry.fields.list(unproduced=unproduced)
    if json:
        as_json(rows)
        return
    table(
        ["field", "type", "made by", "taken by", "is a", "same as", "also written"],
        [
            [r["field"], r["type"], r["producers"], r["consumers"], ", ".join(r["kinds"]),
             ", ".join(r["same"]), ", ".join(r["aliases"] or [])]
            for r in rows
        ],
        keep=["field"],
    )  # fmt: skip
    note(f"{len(rows)} fields")


@app.command()
def suggest(
    count: Annotated[int, typer.Option("--count", min=1, help="At most so many.")] = 20,
    minimum: Annotated[
        float | None, typer.Option("--minimum", min=0, max=1, help="Least confidence.")
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Suggest what a person may decide about inputs that nothing feeds, the most useful first.

    Observed means that imported traces carried a value from the one to the other, so many times.
    Nothing changes until one is accepted with its command, which --undo takes back.
    """
    with opened(store) as registry:
        found = registry.fields.suggest(count=count, minimum=minimum)
    if json:
        as_json(found)
        return
    for one in found:  # no table: commands are copied, so none may be cut
        tools = f"{one.unblocks} tool{'s' if one.unblocks != 1 else ''}"
        say(f"{one.says}: unblocks {tools}, confidence {one.confidence:.2f}, {one.because}")
        say(f"  {one.command}")
    if not found:
        note("Nothing to suggest.")


@app.command()
def merge(
    first: FieldArgument,
    second: FieldArgument,
    by: ByOption = "",
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Declare two fields to be two spellings of one: what makes either feeds both.

    A role is no spelling: for "an assignee_id is a user_id" there is spm fields is.
    """
    with opened(store) as registry:
        row = registry.fields.merge(first, second, by=by or person())
    as_json(row) if json else say(f"{row['field']} and {row['same']} are the same from now on.")


@app.command("is")
def is_(
    field: FieldArgument,
    kind: FieldArgument,
    undo: Annotated[bool, typer.Option("--undo", help="Take it back.")] = False,
    by: ByOption = "",
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Say that a field is another, for example in a role: spm fields is assignee_id user_id.

    Whatever makes a user_id then feeds inputs called assignee_id; not the other way round, and two
    fields that are user_ids do not feed each other.
    """
    from spm.registry.catalog.naming import with_article

    with opened(store) as registry:
        if undo:
            row = registry.fields.retract(field, kind)
        else:
            row = registry.fields.declare(field, kind, by=by or person())
    if json:
        as_json(row)
    elif undo:
        say(f"{row['field']} is no {row['kind']} any more.")
    else:
        say(f"{row['field']} is {with_article(row['kind'])} from now on.")


@app.command()
def split(
    first: FieldArgument,
    second: FieldArgument,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Take back that two fields are the same."""
    with opened(store) as registry:
        row = registry.fields.split(first, second)
    as_json(row) if json else say(f"{row['field']} and {row['same']} are two fields again.")
