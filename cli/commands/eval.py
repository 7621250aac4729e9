"""`spm eval`: the quality of menus, with intervals and pictures."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.options import DeviceOption, JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, progress, stages, table
from spm.cli.views.eval_table import show
from spm.cli.views.files import write

if TYPE_CHECKING:
    from spm.evaluation.corpus import Corpus
    from spm.evaluation.corpus_sources import Reading

# Who is compared when nobody says: the learned constructor where there is something to learn from,
# then what a team would have without it.
DEFAULTS = ("learned", "vote", "hybrid", "dense")
WITHOUT_TRACES = ("prior", "hybrid", "dense")


class Split(StrEnum):
    """Which requests are reported on."""

    test = "test"
    valid = "valid"


FoldersArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FOLDER]...",
        help="Data sets with tools and episodes; several become one library. Without any, the "
        "registry's own trajectories: some of them are set aside and asked for.",
    ),
]
WithOption = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="NAME", help="A constructor; may be repeated. See --list."),
]
AgainstOption = Annotated[
    str | None,
    typer.Option("--against", metavar="NAME", help="Differences are taken to this one."),
]
SharesOption = Annotated[
    str | None,
    typer.Option("--shares", metavar="0,0.25,1", help="Also with these shares of trajectories."),
]
OnlyOption = Annotated[
    str, typer.Option(help="Of folders, only episodes whose id begins so: learning too.")
]
GraphOption = Annotated[
    bool, typer.Option("--graph", help="Of folders, register their own graph of tools.")
]
DocumentsOption = Annotated[
    str, typer.Option(help="Of folders, how much documentation: names, fields or all.")
]
CorruptOption = Annotated[
    float, typer.Option(min=0, max=1, help="Of folders, share of traces with a wrong step.")
]
ReportOption = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Also write a report that any browser shows."),
]
CacheOption = Annotated[
    Path | None,
    typer.Option("--cache", metavar="FOLDER", help="Where vectors and menus are kept."),
]


def evaluate(
    folders: FoldersArgument = None,
    device: DeviceOption = None,
    store: StoreOption = None,
    split: Annotated[Split, typer.Option(help="Which requests to report on.")] = Split.test,
    prefix: Annotated[str, typer.Option(help="Only requests whose id begins like this.")] = "",
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many requests, evenly spread.")
    ] = None,
    only: OnlyOption = "",
    graph: GraphOption = False,
    documents: DocumentsOption = "all",
    corrupt: CorruptOption = 0.0,
    constructors: WithOption = None,
    against: AgainstOption = None,
    shares: SharesOption = None,
    html: ReportOption = None,
    cache: CacheOption = None,
    listing: Annotated[bool, typer.Option("--list", help="List the constructors.")] = False,
    json: JsonOption = False,
) -> None:
    """Measure menus on requests whose paths are known, with intervals and paired differences.

    Menus are kept by content: what was stopped goes on, and nothing is built twice.
    """
    from spm.evaluation.compare import evaluate as compare
    from spm.evaluation.corpus_sources import Reading, narrowed
    from spm.evaluation.results import plain
    from spm.evaluation.trace_shares import shares_of

    if listing:
        _list(json)
        return
    if folders and store:
        raise typer.BadParameter("give folders or --store, not both")
    chosen = shares_of(shares) if shares else ()
    kept = cache or _default_cache()
    how = Reading(only, graph, documents, corrupt)
    if how != Reading() and not folders:
        raise typer.BadParameter("--only, --graph, --documents and --corrupt are for folders")
    corpus = narrowed(_corpus(folders or [], store, split, kept, how), prefix, limit)
    names = constructors or _defaults(corpus)
    with stages() as tell:
        found = compare(corpus, names, kept, against, chosen, tell)
    if html:
        from spm.evaluation.report.page import page

        write(html, page(found))
        note(f"Report written to {html}")
    if json:
        as_json(plain(found))
        return
    show(found)


def _corpus(
    folders: list[Path], store: str | None, split: str, cache: Path, how: "Reading"
) -> "Corpus":
    from spm.cli.vectors import prepared
    from spm.evaluation.corpus_sources import from_folders, from_registry

    if not folders:
        with opened(store) as registry:
            prepared(registry)
            with progress("Encoding requests") as bar:
                return from_registry(registry.core, cache, split, bar)
    with progress("Encoding texts") as bar:
        corpus, dropped = from_folders(folders, cache, split, bar, how)
    if dropped:
        note(f"{dropped} episodes use a tool that is not documented; they were left out.")
    return corpus


def _defaults(corpus: "Corpus") -> list[str]:
    from spm.evaluation.constructors import KNOWN

    wanted = DEFAULTS if corpus.library.trajectories else WITHOUT_TRACES
    return [name for name in wanted if name in KNOWN]


def _default_cache() -> Path:
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("spm", appauthor=False)) / "evaluation"


def _list(json: bool) -> None:
    from dataclasses import asdict

    from spm.evaluation.constructors import KNOWN

    if json:
        as_json({name: asdict(one) for name, one in KNOWN.items()})
        return
    table(
        ["name", "what it is"],
        [[name, one.about] for name, one in KNOWN.items()],
        wrap=["what it is"],
        keep=["name"],
    )
