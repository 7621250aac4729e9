"""What orders of candidates are worth, library by library, each left out of what was fitted."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from benchmarks.day_one.examples import Example
from benchmarks.day_one.fitting import fit
from spm.registry.menus.menu import PREFIX
from spm.registry.routes.candidate_ranking import interleaved

SIZES = (5, 10, 32)
MEASURES = (*(f"chain@{size}" for size in SIZES), "first@1", "first@5", "prefix", "ceiling")
TEXT = ("bm25", "dense", "hybrid")
RESAMPLES = 2_000
Row = dict[str, float]


def measure(order: Sequence[int], one: Example) -> Row:
    """What a menu is worth for a request."""
    steps = one.step[list(order)]
    row = {
        f"chain@{size}": float(len({*steps[:size].tolist()} - {-1}) == one.length) for size in SIZES
    }
    wanted = 0
    for step in steps[:PREFIX].tolist():
        wanted += step == wanted
    return row | {
        "first@1": float(steps[0] == 0),
        "first@5": float(0 in steps[:5]),
        "prefix": wanted / one.length,
        "ceiling": float(len({*one.step.tolist()} - {-1}) == one.length),
    }


def left_out(
    found: Sequence[Example], split: str, say: Callable[[str], None]
) -> dict[str, dict[str, list[Row]]]:
    """Rows of every library and way to order, with weights that never saw its family.

    Text alone is the best of three ways, chosen by Chain@10 on valid requests, or on those that
    teach where there are none.
    """
    reported = [one for one in found if one.request.split in (split, "train")]
    rows: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for family in sorted({one.request.family for one in reported}):
        say(f"without {family}")
        taught = [one for one in found if one.request.teaches and one.request.family != family]
        ranking, _ = fit(taught)
        for one in reported:
            if one.request.family != family or not _reports(one, found, split):
                continue
            scores = ranking.scores(one.numbers)
            learned = list(dict.fromkeys([*one.route, *ranking.order(one.numbers, scores)]))
            library = rows[one.request.library]
            library["learned"].append(measure(learned, one))
            library["spm"].append(measure(interleaved(learned, one.orders["planned"]), one))
            for name, order in one.orders.items():
                library[name].append(measure(order, one))
            library["text"].append(measure(one.orders[_best_text(one, found)], one))
    return rows


def _reports(one: Example, found: Sequence[Example], split: str) -> bool:
    """Whether a request is of the split, or its library has one split alone."""
    if one.request.split == split:
        return True
    splits = {o.request.split for o in found if o.request.library == one.request.library}
    return splits == {"train"}


def _best_text(one: Example, found: Sequence[Example]) -> str:
    """Which text search does best on the valid requests of a library."""
    own = [o for o in found if o.request.library == one.request.library]
    valid = [o for o in own if o.request.split == "valid"] or own
    means = {
        name: np.mean([measure(o.orders[name], o)["chain@10"] for o in valid]) for name in TEXT
    }
    return max(TEXT, key=lambda name: means[name])


def table(rows: Mapping[str, Mapping[str, Sequence[Row]]], ways: Sequence[str]) -> list[list[str]]:
    """Means for each library and way, and over libraries."""
    lines = []
    total: dict[str, list[Row]] = defaultdict(list)
    for library in sorted(rows):
        for way in ways:
            mean = means(rows[library][way])
            total[way].append(mean)
            lines.append([library, way, str(len(rows[library][way])), *_shown(mean)])
    return lines + [["mean", way, "", *_shown(means(total[way]))] for way in ways]


def gains(
    rows: Mapping[str, Mapping[str, Sequence[Row]]], way: str, against: str
) -> dict[str, tuple[float, float, float]]:
    """Mean gain over libraries, with a 95 % interval of paired resamples of requests."""
    draw = np.random.default_rng(0)
    found = {}
    for name in MEASURES[:-1]:
        samples = np.zeros(RESAMPLES)
        mean = 0.0
        for library in rows.values():
            pairs = zip(library[way], library[against], strict=True)
            gain = np.array([a[name] - b[name] for a, b in pairs])
            at = draw.integers(0, len(gain), (RESAMPLES, len(gain)))
            samples += gain[at].mean(axis=1) / len(rows)
            mean += float(gain.mean()) / len(rows)
        low, high = np.quantile(samples, (0.025, 0.975))
        found[name] = (mean, float(low), float(high))
    return found


def means(rows: Sequence[Row]) -> Row:
    """Of each measure."""
    return {name: float(np.mean([row[name] for row in rows])) for name in MEASURES}


def _shown(row: Row) -> list[str]:
    return [f"{row[name]:.3f}" for name in MEASURES]
