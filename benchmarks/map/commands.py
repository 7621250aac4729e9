"""`python -m benchmarks map`: what the graph knows of real APIs, against labels."""

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.map.specs import PARTS
from spm.cli.options import JsonOption
from spm.cli.views.console import as_json, say, table

app = typer.Typer(help="Compare the map with labels.", no_args_is_help=True)

SpecsOption = Annotated[Path, typer.Option("--specs", help="The folder of specifications.")]
PartOption = Annotated[
    list[str] | None,
    typer.Option("--part", help="dev, test or extra, or dev2; the first three without any."),
]
StoresOption = Annotated[Path, typer.Option("--stores", help="Where registries are kept.")]
OnePart = Annotated[str, typer.Option("--part", help="dev, test or extra, or dev2.")]
ErrorsOption = Annotated[bool, typer.Option("--errors", help="List what differs.")]


@app.command()
def effects(
    specs: SpecsOption,
    part: PartOption = None,
    errors: ErrorsOption = False,
    json: JsonOption = False,
) -> None:
    """Score effects: destructive called read or write, changes called read, false alarms."""
    from benchmarks.map.effects import score

    found = [score(specs, name) for name in part or PARTS]
    if json:
        as_json([asdict(one) | ({} if errors else {"errors": len(one.errors)}) for one in found])
        return
    table(
        ["part", "destroys → read", "→ write", "changes → read", "harmless → destroys", "no tool"],
        [[one.part, f"{one.destructive_as_read} of {one.destructive}",
          f"{one.destructive_as_write} of {one.destructive}",
          f"{one.changes_as_read} of {one.changes}",
          f"{one.harmless_as_destructive} of {one.harmless}", one.not_found] for one in found],
    )  # fmt: skip
    if errors:
        table(
            ["api", "operation", "label", "sure", "found", "reason"],
            [[row["api"], row["op"], row["effect"], row["sure"], row["found"], row["reason"]]
             for one in found for row in one.errors],
            wrap=["operation", "reason"],
        )  # fmt: skip


@app.command()
def fields(
    specs: SpecsOption,
    part: OnePart = "dev",
    together: Annotated[
        bool, typer.Option("--together", help="All APIs in one registry; its plans choose tools.")
    ] = False,
    stores: StoresOption = Path("build/map"),
    errors: ErrorsOption = False,
    json: JsonOption = False,
) -> None:
    """Score which values of requests become which parameters, when the tools are known."""
    from benchmarks.map import fields, fields_together

    if together:
        found = fields_together.score(specs, part, stores)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            found = fields.score(specs, part, Path(scratch))
    if json:
        as_json(
            {
                name: {
                    "precision": one.precision,
                    "recall": one.recall,
                    "predicted": one.predicted,
                    "labelled": one.labelled,
                    "unread": one.unread,
                    **({"errors": one.errors} if errors and name == "all" else {}),
                }
                for name, one in found.items()
            }
        )
        return
    table(
        ["api", "precision", "recall", "predicted", "labelled", "no such operation"],
        [
            [name, f"{s.precision:.3f}", f"{s.recall:.3f}", s.predicted, s.labelled, s.unread]
            for name, s in found.items()
        ],
    )
    for error in found["all"].errors if errors else ():
        say(f"{error['id']} {error['request']}")
        for kind in ("wrong", "missing"):
            for line in error[kind]:
                say(f"    {kind} {line}")


@app.command()
def edges(
    specs: SpecsOption,
    part: OnePart = "dev",
    errors: ErrorsOption = False,
    json: JsonOption = False,
) -> None:
    """Score edges: how many of those that vendors' guides describe the graph has."""
    from benchmarks.map.edges import compare

    with tempfile.TemporaryDirectory() as scratch:
        found = compare(specs, part, Path(scratch), say if not json else lambda _: None)
    if json:
        as_json(found.row() | ({"missed": found.missed} if errors else {}))
        return
    table(["figure", "value"], [[name, value] for name, value in found.row().items()])
    if errors:
        rows = [[r["api"], r["from"], r["to"], r["param"]] for r in found.missed]
        table(["api", "from", "to", "input"], rows, wrap=["from", "to"])


@app.command()
def search(
    specs: SpecsOption,
    stores: StoresOption = Path("build/map"),
    errors: ErrorsOption = False,
    json: JsonOption = False,
) -> None:
    """Score searches: operations by their own summary, and by what somebody else would type."""
    from benchmarks.map.search import compare

    found = compare(specs, stores)
    rows = {name: one.row() for name, one in found.items()}
    if json:
        more = {"missed": {name: one.missed for name, one in found.items()}} if errors else {}
        as_json(rows | more)
        return
    first = next(iter(rows.values()))
    table(["asked by", *first], [[name, *row.values()] for name, row in rows.items()])
    for one in found.values() if errors else ():
        for row in one.missed:
            say(f"{row['at'] or '-'}  {row['asked']}")
            say(f"    wanted {row['wanted']}, first {row['first']}")


@app.command()
def sample(
    specs: SpecsOption,
    seed: Annotated[int, typer.Option("--seed", help="Which edges are drawn.")],
    count: Annotated[int, typer.Option("--count", help="How many.", min=1)] = 150,
    api: Annotated[
        list[str] | None, typer.Option("--api", help="Specifications; all of dev without any.")
    ] = None,
) -> None:
    """Print edges drawn by chance, as their two definitions alone, for eyes to judge."""
    from benchmarks.map.sample import draw
    from benchmarks.map.specs import apis, labels

    names = api or apis(labels("edges", "dev"))
    with tempfile.TemporaryDirectory() as scratch:
        for at, pair in enumerate(draw(specs, names, seed, count, Path(scratch)), 1):
            say("\n".join([f"{at}.", *pair.lines()]))


@app.command()
def menus(
    specs: SpecsOption,
    part: OnePart = "dev",
    stores: StoresOption = Path("build/map"),
    errors: ErrorsOption = False,
    json: JsonOption = False,
) -> None:
    """Score menus and routes of multi-step requests, beside a plain hybrid search."""
    from benchmarks.map.menus import compare

    found = compare(specs, part, stores, say if not json else lambda _: None)
    if json:
        rows = {name: one.row() for name, one in found.items()}
        more = {"requests": {name: one.missed for name, one in found.items()}} if errors else {}
        as_json(rows | more)
        return
    rows = {name: one.row() for name, one in found.items()}
    table(["constructor", *rows["spm"]], [[name, *row.values()] for name, row in rows.items()])
    for one in found["spm"].missed if errors else ():
        say(f"{one['id']} {one['request']}")
        say(f"    gold {one['gold']} at {one['at']}, route {one['route']}")


@app.command()
def invented(
    api: Annotated[
        list[str] | None,
        typer.Option("--api", help="fleet, university, energy; studio and hotel only report."),
    ] = None,
    style: Annotated[
        str, typer.Option("--style", help="plain, idiom, reads or none; all without.")
    ] = "",
    errors: ErrorsOption = False,
    json: JsonOption = False,
) -> None:
    """Score invented APIs, each alone in a registry: effects, edges, menus and routes."""
    from benchmarks.map.invented import DEV, score

    with tempfile.TemporaryDirectory() as scratch:
        found = [score(name, Path(scratch) / name, style) for name in api or DEV]
    if json:
        as_json([one.row() | ({"errors": one.errors} if errors else {}) for one in found])
        return
    table(["figure", *(one.api for one in found)],
          [[name, *(one.row()[name] for one in found)] for name in found[0].row()][1:])  # fmt: skip
    for one in found if errors else ():
        for line in one.errors:
            say(f"{one.api}: {line}")


@app.command()
def targets(
    specs: SpecsOption,
    part: PartOption = None,
    stores: StoresOption = Path("build/map"),
    json: JsonOption = False,
) -> None:
    """Fit the weights of targets, and score them on the API that each fit did not see."""
    from benchmarks.map.targets import PLACES, Examples, collect, fit, places, shown, signs
    from spm.registry.routes.target_features import FEATURES

    found = Examples()
    for name in part or ["dev", "dev2"]:
        collect(specs, name, stores, found, say if not json else lambda _: None)
    weights = dict(zip(FEATURES, fit([*found.large, *found.small]).round(3).tolist(), strict=True))
    sure, routes = signs(found.plans), shown(found.plans)
    rows = {
        name: {f"@{k}": sum(0 < p <= k for p in ranks) for k in PLACES} | {"requests": len(ranks)}
        for name, ranks in places(found.large, found.small).items()
    }
    if json:
        as_json({"places": rows, "weights": weights, "signs": sure, "routes": routes})
        return
    table(["target among", *rows["all tools"]], [[n, *row.values()] for n, row in rows.items()])
    table(["feature", "weight"], [[name, value] for name, value in weights.items()])
    table(["sign", "weight"], [[name, value] for name, value in sure.items()])
    table(list(routes[0]), [list(row.values()) for row in routes])
