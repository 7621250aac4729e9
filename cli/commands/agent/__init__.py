"""`spm agent`: a model in front of menus, over an OpenAI-compatible endpoint."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli import menu_options
from spm.cli.commands.dataset import Split
from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.vectors import prepared
from spm.cli.views.agent_results import show
from spm.cli.views.console import as_json, note, progress
from spm.registry.errors import InputError

if TYPE_CHECKING:
    from spm.evaluation.agent.series import Series

app = typer.Typer(help="Let a model work with menus.", no_args_is_help=True)


@app.callback()  # so that a group of one command stays a group
def group() -> None:
    """Let a model work with menus."""


RequestArgument = Annotated[str | None, typer.Argument(help="What the agent should do, in quotes.")]
RequestsOption = Annotated[
    Path | None,
    typer.Option(
        "--requests",
        metavar="FILE",
        help='Many requests, a line each: {"request": "…", "path": ["tool", …]}, as for spm '
        "check; here the path may be missing.",
    ),
]
FolderOption = Annotated[
    Path | None, typer.Option("--folder", metavar="DATASET", help="The episodes of a data set.")
]
SplitOption = Annotated[Split, typer.Option(help="Which of its episodes.")]
LimitOption = Annotated[int | None, typer.Option(min=1, help="Only the first so many.")]
UrlOption = Annotated[
    str,
    typer.Option(
        "--base-url",
        envvar="OPENAI_BASE_URL",
        metavar="URL",
        help="An OpenAI-compatible server, such as http://localhost:8000/v1. "
        "The key is $OPENAI_API_KEY.",
    ),
]
ModelOption = Annotated[str, typer.Option("--model", help="What the server calls the model.")]
MenuOption = Annotated[
    str,
    typer.Option(
        "--menu",
        metavar="NAME|MODULE:FUNCTION",
        help="Who orders the tools: learned (as spm menu), dense, bm25, all (every tool), or a "
        "function of request and state.",
    ),
]
BackendOption = Annotated[
    str,
    typer.Option(
        "--backend",
        metavar="NAME|URL|MODULE:FUNCTION",
        help="Who answers calls: simulate (placeholders for declared outputs), none (a fixed "
        "answer), recorded:FILE, an address that gets tool and arguments as JSON, or a function.",
    ),
]
JudgeOption = Annotated[
    str | None,
    typer.Option(
        "--judge",
        metavar="NAME|command:…|MODULE:FUNCTION",
        help="Who says whether a run succeeded: path (the default where it is known), none, a "
        "program that reads the run as JSON, or a function.",
    ),
]
DestructiveOption = Annotated[
    bool, typer.Option("--allow-destructive", help="Run what cannot be undone, for real.")
]
CallsOption = Annotated[
    int, typer.Option("--max-calls", min=1, help="Calls of one run, valid or not.")
]
TemperatureOption = Annotated[float, typer.Option(min=0, help="0: the likeliest words.")]
SeedOption = Annotated[int, typer.Option(help="For the server, and for simulated results.")]
BodyOption = Annotated[
    str,
    typer.Option(
        "--body",
        metavar="JSON",
        help="More keys of each request to the server; null takes one away, as in "
        '{"temperature": null}.',
    ),
]
TimeoutOption = Annotated[float, typer.Option(min=0.1, help="Seconds to wait for an answer.")]
RetriesOption = Annotated[int, typer.Option(min=0, help="How often a busy server is asked again.")]
ParallelOption = Annotated[int, typer.Option(min=1, max=64, help="Runs at a time.")]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE.jsonl",
        help="Write traces for spm traces import, and records beside them "
        "(FILE.episodes.jsonl); without values.",
    ),
]
ResumeOption = Annotated[
    bool, typer.Option("--resume", help="Go on: leave out what --out has already.")
]
TranscriptsOption = Annotated[
    Path | None,
    typer.Option(
        "--transcripts", metavar="FOLDER", help="Also write whole conversations, values and all."
    ),
]


@app.command()
def run(
    request: RequestArgument = None,
    requests: RequestsOption = None,
    folder: FolderOption = None,
    split: SplitOption = Split.test,
    limit: LimitOption = None,
    state: menu_options.StateOption = None,
    base_url: UrlOption = "",
    model: ModelOption = "",
    menu: MenuOption = "learned",
    size: menu_options.SizeOption = 32,
    prefix: menu_options.PrefixOption = 8,
    team: menu_options.TeamOption = None,
    scopes: menu_options.ScopesOption = None,
    read_only: menu_options.ReadOnlyOption = False,
    backend: BackendOption = "simulate",
    allow_destructive: DestructiveOption = False,
    judge: JudgeOption = None,
    max_calls: CallsOption = 8,
    temperature: TemperatureOption = 0.0,
    seed: SeedOption = 20260525,
    body: BodyOption = "{}",
    timeout: TimeoutOption = 120.0,
    retries: RetriesOption = 5,
    parallel: ParallelOption = 1,
    out: OutOption = None,
    resume: ResumeOption = False,
    transcripts: TranscriptsOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Run requests against a model that sees menus, and say what became of them.

    The model gets the same neutral instruction for every menu, and eight calls; each call costs
    one, whatever became of it. With simulated tools a success says that the right tools were
    called, not that anything was done.
    """
    if find_spec("httpx2") is None:
        raise InputError(
            "A model is asked over HTTP by httpx2, which is not installed. "
            "Install it with: pip install 'spm-registry[eval]'"
        )
    from spm.cli.commands.agent import run_options
    from spm.evaluation.agent.series import Series

    if resume and out is None:
        raise typer.BadParameter("--resume goes on with an --out")
    asked = run_options.goldens(request, requests, folder, split, limit, menu_options.fields(state))
    endpoint = run_options.endpoint(base_url, model, temperature, seed, body, timeout, retries)
    agent, named = run_options.agent(endpoint, backend, judge, asked, max_calls, allow_destructive)
    with opened(store) as registry:
        prepared(registry)
        who = menu_options.caller(team, scopes, read_only)
        series = Series(registry.core, agent, named, menu, size, prefix, who)
        with _kept(series, out), progress("Running requests") as bar:
            series.run(asked, out, resume, transcripts, parallel=parallel, progress=bar)
        as_json(series.as_dict()) if json else show(series)
    for line in series.notes():
        note(line)
    raise typer.Exit(1 if series.summary.endings["refused"] else 0)


@contextmanager
def _kept(series: "Series", out: Path | None) -> Iterator[None]:
    """Say what is kept of a series, also when it breaks off."""
    try:
        yield
    finally:
        over, wanted = len(series.records), len(series.wanted)
        if out and over:
            rest = "" if over == wanted else f" {over} of {wanted} are over; go on with --resume."
            note(f"Traces for spm traces import: {out}.{rest}")
