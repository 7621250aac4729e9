"""From a user's download of a benchmark to a folder in the project's data format."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.datasets import split
from benchmarks.datasets.catalogue import BENCHMARKS, Benchmark
from benchmarks.datasets.files import Progress, Source
from benchmarks.datasets.folder_writer import fingerprint, occupied, write
from benchmarks.datasets.rows import Made, Row
from spm.evaluation.datasets import SPLITS
from spm.registry.errors import InputError

AUTO = "auto"


@dataclass(frozen=True)
class Imported:
    """What was imported.

    Attributes:
        benchmark: its name.
        folder: where the data set lies now.
        tools: how many.
        merged: descriptions of tools that were of a known one.
        episodes: how many, by split.
        dropped: why episodes were left out, and how many.
        notes: what a person should know about this copy.
        as_reported: whether tools and episodes are those that published figures were measured on;
            None when there are no such figures.
    """

    benchmark: str
    folder: str
    tools: int
    merged: int
    episodes: dict[str, int]
    dropped: dict[str, int]
    notes: list[str]
    as_reported: bool | None


def import_benchmark(
    name: str,
    folders: Sequence[Path],
    out: Path,
    *,
    full: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Convert a benchmark as it was published and write it, whole or not at all.

    Args:
        name: of the benchmark, or `auto`: by the layout of the folders.
        folders: checkouts or downloads; most benchmarks need one.
        out: the folder to write, which must not be there.
        full: also take what no figure is reported on.
        progress: hears what is read and written.

    Raises:
        InputError: a file is missing or damaged, or the folder cannot be written.
    """
    occupied(out)
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"{str(folder)!r} is no folder.")
    found = detect(folders) if name == AUTO else named(name)
    source = Source(list(folders), found.about, progress)
    made = _converted(found, source, full)
    episodes = split.assign(found.name, made.episodes, found.group)
    tools_and_episodes = {"tools.jsonl.gz": made.tools, "episodes.jsonl.gz": episodes}
    digest = fingerprint(*tools_and_episodes.values())
    result = Imported(
        benchmark=found.name,
        folder=str(out),
        tools=len(made.tools),
        merged=made.merged,
        episodes={part: _count(episodes, part) for part in SPLITS},
        dropped=dict(made.dropped),
        notes=made.notes,
        as_reported=digest == found.reported if found.reported else None,
    )
    if progress:
        progress("Writing", 0, 0)
    extras = {f"{extra}.jsonl.gz": rows for extra, rows in made.extras.items()}
    write(out, {**tools_and_episodes, **extras}, _manifest(found, source, result, digest, full))
    return result


def named(name: str) -> Benchmark:
    """The benchmark of that name.

    Raises:
        InputError: there is none.
    """
    if name not in BENCHMARKS:
        raise InputError(f"No benchmark named {name!r}. Known: {', '.join(BENCHMARKS)}.")
    return BENCHMARKS[name]


def detect(folders: Sequence[Path]) -> Benchmark:
    """The benchmark whose layout the folders have.

    Raises:
        InputError: it is none, or cannot be told.
    """
    source = Source(list(folders))
    for benchmark in BENCHMARKS.values():
        if any(map(source.names, benchmark.marks)):
            return benchmark
    places = " and ".join(repr(str(folder)) for folder in folders)
    expected = "\n".join(
        f"  {one.name}: {one.marks[0]}" for one in BENCHMARKS.values() if one.marks
    )
    raise InputError(f"No known benchmark lies in {places}. Looked for:\n{expected}")


def _converted(found: Benchmark, source: Source, full: bool) -> Made:
    made = found.convert(source, full)
    if not made.episodes:
        why = "; ".join(f"{count} × {reason}" for reason, count in made.dropped.items())
        raise InputError(f"No episode could be used: {why or 'there are none'}. {found.about}")
    return made


def _count(episodes: list[Row], part: str) -> int:
    return sum(row["split"] == part for row in episodes)


def _manifest(
    found: Benchmark, source: Source, result: Imported, digest: str, full: bool
) -> dict[str, Any]:
    said = asdict(result)
    del said["folder"]  # the same import gives the same bytes wherever it lies
    return {
        "spm": 1,
        **said,
        "title": found.title,
        "licence": found.licence,
        "attribution": found.attribution,
        "repositories": [asdict(one) for one in found.repositories],
        "full": full,
        "fingerprint": digest,
        "split": {"rule": split.RULE, "group": (found.group.__doc__ or "").strip()},
        "inputs": source.summary(),
    }
