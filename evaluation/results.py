"""The results of an evaluation: means with intervals, differences, parts, single requests.

Numbers and names only, so that JSON, a table and a page can be made of the same result.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from spm.evaluation.bootstrap import Difference, Interval
from spm.evaluation.measures import KS, MEASURES, Scores

FORMAT = 1
DIGITS = 4

Means = dict[str, dict[str, Interval]]  # by constructor, then by measure


@dataclass(frozen=True)
class About:
    """The corpus that was evaluated on."""

    name: str
    encoder: str
    digest: str
    tools: int
    trajectories: int
    tasks: int
    groups: int  # of tasks with the same tools, which are drawn together


@dataclass(frozen=True)
class Builder:
    """A constructor with what it cost: seconds to fit, milliseconds a menu."""

    name: str
    title: str
    about: str
    version: int
    fit_seconds: float
    p50: float
    p95: float


@dataclass(frozen=True)
class Part:
    """Some of the tasks: means of every constructor, and differences to the one compared with."""

    count: int
    means: Means
    differences: dict[str, dict[str, Difference]]


@dataclass(frozen=True)
class Share:
    """The same evaluation with a share of the train trajectories."""

    share: float
    trajectories: int
    means: Means
    skipped: dict[str, str]  # constructors that could not be fitted, and why


@dataclass(frozen=True)
class Outcome:
    """One request: what was asked, what solved it, and what every constructor made of it."""

    id: str
    request: str
    path: list[str]
    length: str
    seen: bool  # its tools, in any order, solved a train request
    menus: dict[str, list[str]]
    scores: dict[str, Scores]


@dataclass(frozen=True)
class Result:
    """An evaluation.

    Attributes:
        against: the constructor that differences are taken to.
        whole: all tasks.
        parts: the tasks by length of the path, by whether train knows its tools or its order, by
            the beginning of ids, by the service of its last tool.
        paths: what the gold paths would get if they were the menus.
        fields: where the required inputs along the gold paths come from, as shares.
    """

    about: About
    against: str
    builders: list[Builder]
    whole: Part
    parts: dict[str, dict[str, Part]]
    paths: dict[str, Interval]
    fields: dict[str, float]
    shares: list[Share]
    outcomes: list[Outcome]

    @property
    def names(self) -> list[str]:
        """The constructors, in the order in which they were asked for."""
        return [one.name for one in self.builders]

    @property
    def rivals(self) -> list[str]:
        """All but the one that differences are taken to."""
        return [name for name in self.names if name != self.against]

    def defined(self, measure: str) -> bool:
        """Whether any task defines a measure for any constructor."""
        return any(means[measure].count for means in self.whole.means.values())


def plain(result: Result) -> dict[str, Any]:
    """A result as JSON says it; numbers with four digits, None where nothing is defined."""
    return {
        "format": FORMAT,
        "corpus": asdict(result.about),
        "ks": list(KS),
        "measures": {name: asdict(said) for name, said in MEASURES.items()},
        "against": result.against,
        "constructors": [_rounded(asdict(one)) for one in result.builders],
        "all": _rounded(asdict(result.whole)),
        "parts": _rounded(
            {way: {mark: asdict(part) for mark, part in parts.items()}
             for way, parts in result.parts.items()}
        ),
        "paths": _rounded({name: asdict(one) for name, one in result.paths.items()}),
        "fields": _rounded(result.fields),
        "shares": [_rounded(asdict(one)) for one in result.shares],
        "requests": [_rounded(asdict(one)) for one in result.outcomes],
    }  # fmt: skip


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, Mapping):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return value
