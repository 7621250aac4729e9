"""The console: results on stdout, everything else on stderr."""

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spm.registry.json_text import json_text, printable

LEAST = 11  # letters of a column before a wider one gives way: "destructive" is whole


class ClosedOutput(Exception):
    """Nobody reads standard output any more, as in: spm tools lint | head."""


def say(text: str = "") -> None:
    """Print a line of the result."""
    lines = "\n".join(map(printable, text.split("\n")))
    _console().print(lines, highlight=False, markup=False, soft_wrap=True)


def note(text: str) -> None:
    """Print a line that is not part of the result, to stderr."""
    print("\n".join(map(printable, text.split("\n"))), file=sys.stderr)


def as_json(value: Any, *, compact: bool = False) -> None:
    """Print a value as JSON; compact, in one line."""
    ascii_only = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(json_text(value, ascii_only=ascii_only, compact=compact))


def pour(file: Path) -> None:
    """Write a file to standard output, byte by byte as it is."""
    with file.open("rb") as whole:
        try:
            shutil.copyfileobj(whole, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        except BrokenPipeError as error:
            raise ClosedOutput from error


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    wrap: Sequence[str] = (),
    keep: Sequence[str] = (),
) -> None:
    """Print a table that fits the terminal.

    Columns in `wrap` fold, numbers are never cut, others end in an ellipsis. Those in `keep` are
    whole, too: on one line where there is room, else folded, so that the others are still seen.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    console = _console()
    cells = [
        [_cell(cell, column in wrap) for cell, column in zip(row, columns, strict=True)]
        for row in rows
    ]
    numbers = [
        bool(rows) and all(isinstance(row[i], int) for row in rows) for i in range(len(columns))
    ]
    fixed = [number or name in keep for number, name in zip(numbers, columns, strict=True)]
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    folds = [name in wrap or name in keep for name in columns]
    widths = _widths(columns, cells, fixed, console.width, spare=numbers)
    for i, width in enumerate(widths):
        grid.add_column(
            columns[i],
            overflow="fold" if folds[i] else "ellipsis",
            no_wrap=not folds[i],
            justify="right" if numbers[i] else "left",
            width=width,
        )
    for line in cells:
        grid.add_row(*map(Text, line))  # Text, never markup: what a tool calls itself is data
    console.print(grid)


def _widths(
    columns: Sequence[str],
    cells: list[list[str]],
    fixed: list[bool],
    available: int,
    spare: Sequence[bool],
) -> list[int]:
    """Share the terminal: fixed columns as wide as they are, the rest evenly as far as needed.

    Where the fixed ones would leave the rest no room, the widest of them give way, but for those
    in `spare`: generated names of seventy letters otherwise are all that a terminal shows.
    """
    natural = [
        max(len(name), *(len(part) for row in cells for part in row[i].split("\n")), 1)
        for i, name in enumerate(columns)
    ]
    room = available - 3 * (len(columns) - 1)
    rest = sum(min(w, LEAST) for w, keep in zip(natural, fixed, strict=True) if not keep)
    widths = [w if keep else 0 for w, keep in zip(natural, fixed, strict=True)]
    yielding = [i for i, keep in enumerate(fixed) if keep and not spare[i]]
    while sum(widths) + rest > room:
        widest = max(yielding, key=widths.__getitem__, default=None)
        if widest is None or widths[widest] <= LEAST:
            break
        widths[widest] -= 1
    left = room - sum(widths)
    flexible = sorted((i for i, keep in enumerate(fixed) if not keep), key=natural.__getitem__)
    for position, i in enumerate(flexible):
        widths[i] = max(4, min(natural[i], left // (len(flexible) - position)))
        left -= widths[i]
    return widths


def _cell(value: object, lines: bool) -> str:
    text = "" if value is None else str(value)
    if lines:
        return "\n".join(map(printable, text.split("\n")))
    return printable(" ".join(text.split()))


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr; silent when stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on stderr whose label changes with the stage; 0 of 0 is of unknown length."""
    if not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[said]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None, said="")

        def tell(stage: str, done: int, total: int) -> None:
            said = f"{done}/{total}" if total else ""
            bar.update(task, description=stage, completed=done, total=total or None, said=said)

        yield tell


def _console() -> Any:
    from rich.console import Console

    return Console(file=sys.stdout)


@contextmanager
def training_progress() -> Iterator[Callable[..., None]]:
    """A progress bar on stderr for training: the stage, the loss, and the chains found so far."""
    if not sys.stderr.isatty():
        yield lambda *said: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    with Progress(
        TextColumn("{task.description:<11}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[said]}"),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None, said="")

        def tell(stage: str, done: int, total: int, loss: float, measured: Any) -> None:
            said = f"loss {loss:.3f}" if loss else ""
            if measured is not None:
                said += f"  Chain@32 {measured.chain:.3f}  prefix {measured.prefix:.3f}"
            bar.update(task, description=stage, completed=done, total=total, said=said)

        yield tell
