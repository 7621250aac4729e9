"""Constants of baselines: chosen on the valid split, as those of our own method are."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from spm.evaluation.corpus import Corpus
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.training.measures import Measures, mean, measure

Seen = TypeVar("Seen")
Constants = TypeVar("Constants")


def chosen(
    corpus: Corpus,
    grid: Sequence[Constants],
    look: Callable[[Question], Seen],
    order: Callable[[Seen, Constants], Sequence[int]],
) -> Constants:
    """The constants whose menus hold the most whole chains, then have the best order.

    Args:
        corpus: its `judge` rows decide; without any, the first of the grid is taken.
        grid: what is tried; of equal constants the first wins.
        look: collects what is known for a question, once for the whole grid.
        order: tools by number, best first, from what was seen and some constants.
    """
    tools = corpus.library.tools
    found: list[list[Measures]] = [[] for _ in grid]
    for row in corpus.judge if len(grid) > 1 else ():
        seen = look(row.question)
        for constants, measures in zip(grid, found, strict=True):
            menu = [tools[at] for at in order(seen, constants)]
            measures.append(measure(menu, row.path))
    worth = [_worth(mean(measures)) for measures in found]
    return grid[worth.index(max(worth))]


def _worth(found: Measures) -> tuple[float, float]:
    """Chain decides, then what our own order is chosen by: First@1, First@5 and ordered prefix."""
    return round(found.chain, 9), round(found.order, 9)
