"""`spm traces`: import, statistics, pruning and decay of traces."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, progress, say, table
from spm.registry.traces.formats import TraceFormat

app = typer.Typer(help="Import and look at observed trajectories.", no_args_is_help=True)


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="Traces, in one of the known formats.")],
    from_: Annotated[
        TraceFormat | None,
        typer.Option("--from", help="The format. Default: what the first document looks like."),
    ] = None,
    skip_unknown: Annotated[
        bool, typer.Option("--skip-unknown", help="Leave out trajectories with unknown tools.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Import trajectories; a file that was imported before changes nothing.

    Knows the project's JSON lines, OTLP/JSON and OpenInference spans, OpenAI and Anthropic
    transcripts, and Arazzo workflows. Of arguments and results only field names and types are
    kept, and how often which output became which input; never a value.
    """
    from spm.cli.vectors import encode
    from spm.registry.traces.field_evidence import MOST_OUTPUTS

    with opened(store, new=True) as registry:
        registry.vectors.encoder()  # without one, nothing should be written
        with progress("Importing traces") as bar:
            result = registry.import_traces(
                file, format=from_, skip_unknown=skip_unknown, progress=bar
            )
        encode(registry)
    if json:
        as_json(result)
        return
    skipped = f", {result.skipped} skipped (unknown tools)" if result.skipped else ""
    say(f"{result.imported} trajectories imported, {result.known} already known{skipped}")
    if result.differing:
        note(
            f"{result.differing} of the known came with the same id, but other content, and were "
            "left out. Give them ids of their own."
        )
    if result.dropped:
        note(
            f"{result.dropped} fields of results were not added: their tools have {MOST_OUTPUTS} "
            "observed outputs each, which is the most. Declare those that matter in a manifest."
        )


@app.command()
def stats(
    top: Annotated[int, typer.Option(min=1, help="Rows in each list.")] = 10,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show use and error rates of tools, and the most travelled transitions."""
    with opened(store) as registry:
        found = registry.traces.statistics(top=top)
    if json:
        as_json(found)
        return
    if not found.trajectories:
        note("No trajectories. Import some with: spm traces import FILE")
        return
    say(f"{found.trajectories:,} trajectories, {found.successful:,} successful, "
        f"from {found.first or '?'} to {found.last or '?'}")  # fmt: skip
    say()
    table(
        ["most travelled", "to", "times"],
        [[r["first"], r["second"], r["count"]] for r in found.travelled],
    )
    if found.errors:
        say()
        rows = [[r["id"], r["calls"], r["errors"], f"{r['rate']:.0%}"] for r in found.errors]
        table(["fails", "calls", "errors", "rate"], rows, keep=["fails"])
    say()
    shown = ", ".join(found.unused[:top]) + (" …" if len(found.unused) > top else "")
    say(f"{len(found.unused)} active tools were never called{': ' + shown if shown else '.'}")


@app.command()
def prune(
    before: Annotated[datetime, typer.Option("--before", formats=["%Y-%m-%d"], help="A day.")],
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Empty trajectories from before a day; what they added to counts stays."""
    from spm.cli.vectors import encode

    with opened(store) as registry:
        dropped = registry.traces.prune(before)
        encode(registry)  # which also forgets the vectors of what is gone
    as_json({"pruned": dropped}) if json else say(f"{dropped:,} trajectories pruned")


@app.command()
def decay(
    half_life: Annotated[
        float, typer.Option("--half-life", min=0.1, help="Days after which evidence weighs half.")
    ],
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Let old transitions weigh less in menus, old flows in suggestions; their counts stay."""
    with opened(store) as registry:
        weighed = registry.traces.decay(timedelta(days=half_life))
    as_json({"weighed": weighed}) if json else say(f"{weighed:,} transitions weighed anew")
