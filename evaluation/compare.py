"""Compares constructors on one corpus: run, score, summarise."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from spm.evaluation.bootstrap import Bootstrap, Numbers
from spm.evaluation.constructors import known
from spm.evaluation.corpus import Corpus, Task
from spm.evaluation.measures import MEASURES, Contracts, Scores, score
from spm.evaluation.results import About, Builder, Means, Outcome, Part, Result, Share
from spm.evaluation.runner import Run, Tell, run
from spm.evaluation.trace_shares import thinned
from spm.registry.errors import SpmError
from spm.registry.menus.menu import SIZE

# Path lengths that are looked at together.
LENGTHS = {"1": 1, "2": 2, "3–4": 4, "5–6": 6}
LONGER = "7+"
# More parts than this tell nobody anything.
PARTS = 12

Groups = list[frozenset[str]]


def evaluate(
    corpus: Corpus,
    names: Sequence[str],
    cache: Path,
    against: str | None = None,
    shares: Sequence[float] = (),
    tell: Tell | None = None,
) -> Result:
    """Build all menus, with the whole corpus and with shares of it, and sum up.

    Args:
        corpus: what to evaluate on.
        names: constructors by name; equal ones count once.
        cache: where menus are kept.
        against: the constructor that differences are taken to; the first when it is not said.
        shares: shares of the train trajectories; a constructor that cannot do with one of them is
            left out there.
        tell: hears the stage, what is done and what is to do.

    Raises:
        InputError: a constructor is not known, or cannot learn from the whole corpus.
    """
    base = against or names[0]
    chosen = list(dict.fromkeys([*names, base]))
    for name in chosen:
        known(name)  # before the first one takes its time
    runs = [run(corpus, name, cache, tell) for name in chosen]
    thin = [_share(thinned(corpus, part), part, chosen, cache, tell) for part in shares]
    return result(corpus, runs, base, thin)


def _share(
    corpus: Corpus, part: float, names: Sequence[str], cache: Path, tell: Tell | None
) -> Share:
    runs: list[Run] = []
    skipped: dict[str, str] = {}
    for name in names:
        try:
            runs.append(run(corpus, name, cache, tell))
        except SpmError as error:
            skipped[name] = str(error)
    library, tasks = corpus.measured
    contracts = Contracts.of(library)
    values = {one.name: array(scores(one, tasks, contracts)) for one in runs}
    count = len(corpus.library.trajectories)
    return Share(part, count, means(values, Bootstrap(groups(tasks))), skipped)


def result(
    corpus: Corpus, runs: Sequence[Run], against: str, shares: Sequence[Share] = ()
) -> Result:
    """Score all menus and sum up; `against` is one of the runs."""
    library, tasks = corpus.measured
    contracts = Contracts.of(library)
    scored = {one.name: scores(one, tasks, contracts) for one in runs}
    values = {name: array(found) for name, found in scored.items()}
    same, seen = groups(tasks), _Seen(corpus)
    paths = array([score([*dict.fromkeys(task.path)], task, contracts) for task in tasks])
    return Result(
        about=About(
            corpus.name,
            corpus.encoder,
            corpus.digest,
            len(corpus.library.tools),
            len(corpus.library.trajectories),
            len(tasks),
            len({*same}),
        ),
        against=against,
        builders=[_builder(one) for one in runs],
        whole=summed(values, against, same),
        parts=_parts(tasks, seen, values, against, same),
        paths=means({"": paths}, Bootstrap(same))[""],
        fields=_fields(tasks, contracts),
        shares=list(shares),
        outcomes=[
            Outcome(
                task.id,
                task.question.text,
                list(dict.fromkeys(task.path)),
                length(task),
                seen.tools(task) == "seen",
                {one.name: one.menus[at][:SIZE] for one in runs},
                {one.name: scored[one.name][at] for one in runs},
            )
            for at, task in enumerate(tasks)
        ],
    )


def scores(found: Run, tasks: Sequence[Task], contracts: Contracts) -> list[Scores]:
    """Every measure of every menu."""
    frontiers: Sequence[list[str] | None] = found.frontiers or [None] * len(tasks)
    return [
        score(menu, task, contracts, frontier)
        for menu, task, frontier in zip(found.menus, tasks, frontiers, strict=True)
    ]


def array(found: Sequence[Scores]) -> Numbers:
    """Scores as an array of tasks and measures; NaN is not defined."""
    return np.array([[one[name] for name in MEASURES] for one in found], dtype=np.float64)


def groups(tasks: Sequence[Task]) -> Groups:
    """What each task belongs to: tasks with the same tools stand or fall together."""
    return [frozenset(task.path) for task in tasks]


def summed(values: Mapping[str, Numbers], against: str, same: Groups) -> Part:
    """Means, and differences to one of the constructors."""
    boot = Bootstrap(same)
    return Part(
        len(same),
        means(values, boot),
        {
            name: dict(zip(MEASURES, boot.differences(one, values[against]), strict=True))
            for name, one in values.items()
            if name != against
        },
    )


def means(values: Mapping[str, Numbers], boot: Bootstrap) -> Means:
    """The mean of every measure for every constructor."""
    return {name: dict(zip(MEASURES, boot.means(one), strict=True)) for name, one in values.items()}


# -- parts of the tasks ------------------------------------------------------------------------


def length(task: Task) -> str:
    """Which of the lengths a task's path has."""
    count = len({*task.path})
    return next((mark for mark, most in LENGTHS.items() if count <= most), LONGER)


def kind(task: Task) -> str:
    """How a task's id begins: up to a slash or colon, or without its number."""
    head = re.split("[/:]", task.id, maxsplit=1)[0]
    return head if head != task.id else re.sub(r"[\W_]*\d+$", "", head)


def service(task: Task) -> str:
    """Who provides the path's last tool."""
    return task.path[-1].partition("/")[0]


class _Seen:
    """Which paths the train trajectories know."""

    def __init__(self, corpus: Corpus) -> None:
        library = corpus.library
        self._ways = {
            tuple(library.tools[at] for at in library.path(row))
            for row in range(len(library.trajectories))
        }
        self._sets = {frozenset(way) for way in self._ways}

    def tools(self, task: Task) -> str:
        """Whether a train path has the same tools."""
        return "seen" if frozenset(task.path) in self._sets else "unseen"

    def order(self, task: Task) -> str:
        """Whether a train path is the same."""
        return "seen" if tuple(dict.fromkeys(task.path)) in self._ways else "unseen"


def _parts(
    tasks: Sequence[Task],
    seen: _Seen,
    values: Mapping[str, Numbers],
    against: str,
    same: Groups,
) -> dict[str, dict[str, Part]]:
    ways: dict[str, Callable[[Task], str]] = {
        "length": length, "tools": seen.tools, "order": seen.order, "kind": kind, "service": service
    }  # fmt: skip
    found: dict[str, dict[str, Part]] = {}
    for way, mark in ways.items():
        members: dict[str, list[int]] = {}
        for at, task in enumerate(tasks):
            members.setdefault(mark(task), []).append(at)
        if way in ("kind", "service") and not 1 < len(members) <= PARTS:
            continue
        found[way] = {
            name: summed(
                {who: one[members[name]] for who, one in values.items()},
                against,
                [same[at] for at in members[name]],
            )
            for name in sorted(members)  # "1" … "7+" and seen before unseen
        }
    return found


def _builder(found: Run) -> Builder:
    said = known(found.name)
    p50, p95 = np.percentile(found.ms, [50, 95]).tolist()
    return Builder(found.name, said.title, said.about, said.version, found.fit_seconds, p50, p95)


def _fields(tasks: Sequence[Task], contracts: Contracts) -> dict[str, float]:
    total: Counter[str] = Counter()
    for task in tasks:
        total += contracts.sources(task)
    count = max(1, total.total())
    return {name: total[name] / count for name in ("request", "tools", "nobody", "missing")}
