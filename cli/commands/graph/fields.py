"""`spm fields`: the names in which tools meet."""

import getpass
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, complete_field, opened
from spm.cli.views.console import as_json, note, say, table

if TYPE_CHECKING:
    from spm.registry.catalog.field_suggestions import Suggestion

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
    """Suggest which outputs may be inputs of another name, with reasons.

    Observed means that imported traces carried a value from the one to the other, so many times.
    Accept one with: spm fields merge OUTPUT INPUT
    """
    with opened(store) as registry:
        found = registry.fields.suggest(count=count, minimum=minimum)
    if json:
        as_json(found)
        return
    rows = [
        [
            s.output,
            s.input,
            f"{s.confidence:.2f}",
            _reasons(s),
        ]
        for s in found
    ]
    table(
        ["output", "input", "confidence", "reasons"],
        rows,
        wrap=["reasons"],
        keep=["output", "input"],
    )
    note("Accept one with: spm fields merge OUTPUT INPUT" if found else "Nothing to suggest.")


def _reasons(found: "Suggestion") -> str:
    seen = [f"observed {found.observed}×"] if found.observed else []
    return ", ".join([*seen, *(f"{kind} {value:.2f}" for kind, value in found.reasons.items())])


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
        say(f"{row['field']} is {_article(row['kind'])} from now on.")


def _article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"


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
