"""Replaying golden requests: is the chain in the menu, its first tool in front, its order kept?"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from spm.registry.catalog.tools import Resolver
from spm.registry.errors import AmbiguousTool, InputError, UnknownTool
from spm.registry.menus.golden import GoldenRequest
from spm.registry.menus.menu import Menu

FIRST = 5
BASELINE = 1
MAX_BYTES = 200_000_000
# A share is compared as it is printed: a difference in the last bits of a mean is none.
DIGITS = 4

Measure = Literal["chain", "first", "order"]
MEASURES: tuple[Measure, ...] = ("chain", "first", "order")


@dataclass(frozen=True)
class Result:
    """How one golden request fared.

    Attributes:
        path: the tools as the file names them, so that a lost one changes no key.
        chain: 1 when all its tools are in the menu, else 0.
        first: 1 when its first tool is among the first five, else 0.
        order: the share of the path that stands in order in front; None when order is no matter.
        missing: tools of the path that are not in the menu.
        unknown: those of them that the registry does not have.
        allow_writes: whether tools that change something might make inputs.
    """

    request: str
    path: list[str]
    state: list[str]
    chain: float
    first: float
    order: float | None
    missing: list[str]
    unknown: list[str]
    allow_writes: bool = False  # baselines from before do not say

    @property
    def key(self) -> tuple[str, tuple[str, ...], tuple[str, ...], bool]:
        """What makes a golden request the same one in a baseline."""
        return self.request, tuple(self.path), tuple(self.state), self.allow_writes


@dataclass(frozen=True)
class Baseline:
    """Results to hold others against, with the sizes they were made with."""

    size: int
    prefix: int
    results: list[Result]

    def text(self) -> str:
        """Canonical JSON."""
        content = {"spm_check_baseline": BASELINE, **asdict(self)}
        return json.dumps(content, indent=2, sort_keys=True) + "\n"


@dataclass(frozen=True)
class Regression:
    """A golden request that fares worse than it did, and in what."""

    request: str
    measures: list[Measure]
    missing: list[str]


@dataclass(frozen=True)
class Verdict:
    """Whether menus are good enough.

    Attributes:
        passed: nothing failed.
        means: of all results.
        before: of the baseline, over the golden requests that both know.
        failures: what is not good enough, in sentences.
        regressed: golden requests that fare worse, whether or not a mean fell.
        new: golden requests that the baseline does not know.
    """

    passed: bool
    means: dict[Measure, float | None]
    before: dict[Measure, float | None] | None
    failures: list[str]
    regressed: list[Regression]
    new: int


def judge(golden: GoldenRequest, menu: Menu, resolver: Resolver, prefix: int) -> Result:
    """Measure one menu against its golden path; a menu lists a tool once, so a path counts it once.

    Tools that the registry does not know are missing, not an error: losing one is a regression.
    """
    path, unknown = [], []
    for name in golden.path:
        try:
            path.append(resolver.resolve(name))
        except (UnknownTool, AmbiguousTool):
            path.append(name)
            unknown.append(name)
    path = list(dict.fromkeys(path))
    offered = [item.id for item in menu.items]
    missing = [tool for tool in path if tool not in offered]
    return Result(
        request=golden.request,
        path=list(golden.path),
        state=list(golden.state),
        chain=float(not missing),
        first=float(path[0] in offered[:FIRST]),
        order=_ordered(path, offered[:prefix]) if golden.chain else None,
        missing=missing,
        unknown=unknown,
        allow_writes=golden.allow_writes,
    )


def _ordered(path: list[str], front: list[str]) -> float:
    """The longest beginning of the path that stands in order in front, over its length."""
    found = 0
    for tool in front:
        if found < len(path) and tool == path[found]:
            found += 1
    return round(found / len(path), DIGITS)


def overall(results: Iterable[Result]) -> dict[Measure, float | None]:
    """The mean of each measure; None when nothing was measured."""
    results = list(results)
    means: dict[Measure, float | None] = {}
    for measure in MEASURES:
        values = [v for r in results if (v := getattr(r, measure)) is not None]
        means[measure] = round(sum(values) / len(values), DIGITS) if values else None
    return means


def below(results: list[Result], least: Mapping[Measure, float]) -> list[str]:
    """Sentences on means that are lower than they must be."""
    means = overall(results)
    return [
        f"{measure} is {mean:.4f}, less than {least[measure]:g}."
        for measure in MEASURES
        if measure in least and (mean := means[measure]) is not None and mean < least[measure]
    ]


def regressions(results: list[Result], baseline: Baseline) -> list[Regression]:
    """Golden requests that fare worse than in the baseline."""
    before = {result.key: result for result in baseline.results}
    found = []
    for result in results:
        if (old := before.get(result.key)) is None:
            continue
        worse: list[Measure] = [
            m for m in MEASURES if (getattr(result, m) or 0.0) < (getattr(old, m) or 0.0)
        ]
        if worse:
            found.append(Regression(result.request, worse, result.missing))
    return found


def verdict(
    results: list[Result],
    least: Mapping[Measure, float] | None = None,
    baseline: Baseline | None = None,
    *,
    strict: bool = False,
) -> Verdict:
    """Say whether menus are good enough.

    Args:
        results: what was measured.
        least: means that must be reached; without them and without a baseline, every chain must be
            complete.
        baseline: means that must not fall, over the golden requests that it knows.
        strict: also fail when a single golden request fares worse than in the baseline.
    """
    if baseline is None:
        least = {"chain": 1.0} if least is None else least
        return Verdict(not (why := below(results, least)), overall(results), None, why, [], 0)
    before = {result.key: result for result in baseline.results}
    shared = [result for result in results if result.key in before]
    means = overall(before[result.key] for result in shared)
    failures = below(results, least or {})
    kept = {measure: mean for measure, mean in means.items() if mean is not None}
    failures += [f"{text[:-1]} in the baseline." for text in below(shared, kept)]
    worse = regressions(results, baseline)
    if strict and worse:
        failures.append(f"{len(worse)} golden requests fare worse than in the baseline.")
    new = len(results) - len(shared)
    return Verdict(not failures, overall(results), means, failures, worse, new)


def read_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        InputError: the file is none.
    """
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(MAX_BYTES))
        if content.pop("spm_check_baseline") != BASELINE:
            raise ValueError("another version")
        return TypeAdapter(Baseline).validate_python(content)
    except OSError as error:
        raise InputError(f"Cannot read {str(path)!r}: {error.strerror or error}.") from error
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise InputError(
            f"{str(path)!r} is no baseline. Make one with: spm check GOLDEN --write-baseline FILE"
        ) from error
