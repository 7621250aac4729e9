"""How good a menu is for a request whose path is known."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from spm.registry.menus.menu import PREFIX, SIZE


@dataclass(frozen=True)
class Measures:
    """Means over requests; each between 0 and 1."""

    chain: float  # all tools of the path are in the menu
    recall: float  # their share
    first1: float  # the path's first tool stands first
    first5: float  # or among the first five
    prefix: float  # the longest beginning of the path found in order in the leading eight
    ceiling: float  # all tools of the path are in the frontier

    @property
    def order(self) -> float:
        """What the order is chosen by."""
        return (self.first1 + self.first5 + self.prefix) / 3

    def rounded(self) -> dict[str, float]:
        """For printing."""
        return {name: round(value, 4) for name, value in asdict(self).items()}


def measure(menu: Sequence[str], path: Sequence[str], frontier: Sequence[str] = ()) -> Measures:
    """One menu against one path."""
    gold, shown = list(dict.fromkeys(path)), set(menu[:SIZE])
    return Measures(
        chain=float(set(gold) <= shown),
        recall=len(set(gold) & shown) / len(gold),
        first1=float(gold[0] in menu[:1]),
        first5=float(gold[0] in menu[:5]),
        prefix=_in_order(menu[:PREFIX], gold) / len(gold),
        ceiling=float(set(gold) <= set(frontier)),
    )


def mean(found: Sequence[Measures]) -> Measures:
    """The mean of each measure; zeros when there is nothing."""
    count = max(1, len(found))
    return Measures(
        *(sum(getattr(one, field.name) for one in found) / count for field in fields(Measures))
    )


def _in_order(lead: Sequence[str], gold: Sequence[str]) -> int:
    at = 0
    for tool in lead:
        if at < len(gold) and tool == gold[at]:
            at += 1
    return at
