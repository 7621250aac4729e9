"""`spm schema`: the graph model."""

from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, say, table

if TYPE_CHECKING:
    from spm.registry.insight.model import Model


def schema(
    counts: Annotated[
        bool, typer.Option("--counts", help="Also say how much of everything the store holds.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show the graph: labels, relationship types, what they carry and mean, and the indexes."""
    from spm.registry.insight.model import read_model

    if counts:
        with opened(store) as registry:
            model = registry.schema()
    else:
        model = read_model()
    if json:
        as_json(model)
        return
    _show(model, counts)


def _show(model: "Model", counts: bool) -> None:
    number = ["count"] if counts else []
    say("Nodes")
    table(
        ["label", *number, "what it is", "properties"],
        [
            [kind.name, *([kind.count] if counts else []), kind.meaning, _listed(kind.properties)]
            for kind in model.labels
        ],
        wrap=["what it is", "properties"],
    )
    say("")
    say("Relationships")
    table(
        ["pattern", *number, "what it is", "properties"],
        [
            [
                f"(:{kind.source})-[:{kind.name}]->(:{kind.target})",
                *([kind.count] if counts else []),
                kind.meaning,
                _listed(kind.properties),
            ]
            for kind in model.relationships
        ],
        wrap=["pattern", "what it is", "properties"],
    )
    say("")
    say("Constraints and indexes")
    table(
        ["name", "kind", "on", "engines"],
        [
            [one.name, one.kind, f"{one.label}.{one.property}", ", ".join(one.engines)]
            for one in model.indexes
        ],
        wrap=["engines"],
    )


def _listed(properties: list[str]) -> str:
    return ", ".join(properties)
