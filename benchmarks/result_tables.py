"""The tables of results in documents, rendered from the experiments: no figure is typed by hand."""

import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.reproduce import Experiment, experiments
from spm.evaluation.measures import MEASURES

_ROOT = Path(__file__).parents[1]
PAGES = (_ROOT / "README.md", _ROOT / "docs" / "results.md", _ROOT / "docs" / "paper.md")
_PLACE = re.compile(r"(<!-- table: ([a-z-]+) -->\n).*?(<!-- /table -->)", re.DOTALL)


def render_pages() -> None:
    """Write the tables of every page anew."""
    for page in PAGES:
        page.write_text(render(page.read_text("utf-8"), experiments()), "utf-8")


def render(text: str, rows: Sequence[Experiment]) -> str:
    """The text with every marked table written anew."""
    return _PLACE.sub(lambda place: place[1] + table(place[2], rows) + place[3], text)


def table(name: str, known: Sequence[Experiment]) -> str:
    """All experiments of a table: a row for each constructor, a column for each measure."""
    rows = [one for one in known if one.table == name and one.expected]
    if not rows:
        return ""
    measures = rows[0].measures
    titles = [MEASURES[measure].title for measure in measures]
    lines = [_row(["", "menus by", *titles]), _row(["---"] * (len(titles) + 2))]
    for one in rows:
        best = {
            m: max((found.get(m, -1.0) for found in one.expected.values()), default=-1.0)
            for m in measures
        }
        for number, (who, found) in enumerate(one.expected.items()):
            around = (one.intervals or {}).get(who, {})
            cells = [_cell(found.get(m), best[m], around.get(m)) for m in measures]
            lines.append(_row([one.about if number == 0 else "", who, *cells]))
    return "".join(lines)


def _cell(score: float | None, best: float, around: Sequence[float] | None = None) -> str:
    if score is None:
        return ""
    shown = f"**{_short(score)}**" if score == best else _short(score)
    return f"{shown} {_short(around[0])}–{_short(around[1])}" if around else shown


def _short(score: float) -> str:
    return f"{score:.3f}".removeprefix("0")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
