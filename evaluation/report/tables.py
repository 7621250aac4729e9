"""The numbers of an evaluation as tables of a page."""

from collections.abc import Iterable, Sequence

from spm.evaluation.bootstrap import Difference, Interval
from spm.evaluation.measures import KS, MEASURES
from spm.evaluation.results import Part, Result
from spm.registry.pictures.svg import text

MAIN = (
    "chain@32", "recall@32", "first@1", "first@5", "prefix", "executable_prefix", "executable",
    "edges", "replay", "ceiling",
)  # fmt: skip
FAMILIES = ("chain", "recall", "target", "ndcg", "map")


def summary(result: Result) -> str:
    """The main measures of every constructor, and of the paths themselves."""
    names = [name for name in MAIN if result.defined(name)]
    rows = [
        [text(who), *(_mean(result.whole, who, name) for name in names), _ms(result, who)]
        for who in result.names
    ]
    own = ["the paths themselves", *(_bare(result.paths[name]) for name in names), "<td></td>"]
    heads = ["", *(MEASURES[name].title for name in names), "ms a menu"]
    return table(heads, rows, last=own)


def at_k(result: Result) -> str:
    """Every measure that depends on the size of the menu."""
    names = [f"{family}@{k}" for family in FAMILIES for k in KS]
    return _turned(result, [*names, "mrr"])


def apart(result: Result) -> str:
    """Differences to the constructor compared with."""
    names = [name for name in MAIN if result.defined(name) and name != "ceiling"]
    rows = [
        [text(who), *(_difference(result.whole.differences[who][name]) for name in names)]
        for who in result.rivals
    ]
    return table(["", *(MEASURES[name].title for name in names)], rows)


def part(parts: dict[str, Part], result: Result) -> str:
    """The main measures for each part of the tasks."""
    names = [name for name in MAIN if result.defined(name)]
    rows = [
        [f"{text(mark)} ({one.count}) {text(who)}", *(_mean(one, who, name) for name in names)]
        for mark, one in parts.items()
        for who in result.names
    ]
    return table(["", *(MEASURES[name].title for name in names)], rows)


def costs(result: Result) -> str:
    """Who the constructors are and what they took."""
    rows = [
        [
            text(one.name),
            f"<td>{text(one.about)}</td>",
            f"<td>{one.fit_seconds:,.1f}</td>",
            f"<td>{one.p50:,.1f}</td>",
            f"<td>{one.p95:,.1f}</td>",
        ]
        for one in result.builders
    ]
    return table(["", "what it is", "seconds to fit", "ms a menu: median", "95 %"], rows)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], last: Sequence[str] = ()) -> str:
    """A table; the first cell of a row is its head, the others come with their tags."""
    head = "".join(f'<th scope="col">{text(one)}</th>' for one in heads)
    body = "\n".join(
        f'<tr{kind}><th scope="row">{row[0]}</th>{"".join(row[1:])}</tr>'
        for group, kind in ((rows, ""), ([last] if last else [], ' class="paths"'))
        for row in group
    )
    return (
        f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>'
        "</table></div>"
    )


def _turned(result: Result, names: Sequence[str]) -> str:
    """Measures below each other, constructors beside each other."""
    rows = [
        [MEASURES[name].title, *(_mean(result.whole, who, name) for who in result.names)]
        for name in names
    ]
    return table(["", *result.names], rows)


def _mean(part: Part, who: str, measure: str) -> str:
    """A mean with its interval; the best of several different ones is bold."""
    one = part.means[who][measure]
    if one.mean is None or one.low is None or one.high is None:
        return "<td>–</td>"
    means = [found[measure].mean for found in part.means.values()]
    others = {f"{mean:.3f}" for mean in means if mean is not None}
    shown = f"{one.mean:.3f}"
    if len(others) > 1 and shown == max(others):
        shown = f"<b>{shown}</b>"
    return f"<td>{shown}<small>{one.low:.3f}–{one.high:.3f}</small></td>"


def _bare(one: Interval) -> str:
    return "<td>–</td>" if one.mean is None else f"<td>{one.mean:.3f}</td>"


def _difference(one: Difference) -> str:
    if one.mean is None or one.low is None or one.high is None:
        return "<td>–</td>"
    kind = "good" if one.low > 0 else "bad" if one.high < 0 else ""
    shown = f"<b>{one.mean:+.3f}</b>" if kind else f"{one.mean:+.3f}"
    return (
        f"<td{f' class={kind}' if kind else ''}>{shown}<small>{_signed(one.low)} to "
        f"{_signed(one.high)}"
        f"</small><small>{one.wins} ↑ {one.losses} ↓</small></td>"
    )


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("0.", ".", 1)


def percent(share: float) -> str:
    """A share in words."""
    return f"{share:.0%}".replace("%", " %")


def _ms(result: Result, who: str) -> str:
    one = next(one for one in result.builders if one.name == who)
    return f"<td>{one.p50:,.1f}<small>95 %: {one.p95:,.1f}</small></td>"
