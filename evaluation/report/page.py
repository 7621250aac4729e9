"""The whole page: one file that loads nothing, and whose policy forbids it to."""

import base64
import hashlib

from spm.evaluation.bootstrap import LEVEL, RESAMPLES
from spm.evaluation.measures import KS, MEASURES
from spm.evaluation.report import tables
from spm.evaluation.report.charts import Line, Place, chart, forest, legend
from spm.evaluation.report.requests import requests
from spm.evaluation.report.style import SCRIPT, STYLE
from spm.evaluation.results import Part, Result
from spm.registry.pictures.svg import text

BY_K = ("chain", "recall", "target", "ndcg", "map")
BY_PART = ("chain@32", "first@5", "prefix", "edges", "replay")
BY_SHARE = ("chain@32", "recall@32", "first@1", "first@5", "prefix", "replay")
WAYS = {
    "length": "tools on the path",
    "tools": "whether the path's tools solved a train request",
    "order": "whether train has the very path",
    "kind": "beginning of the id",
    "service": "service of the last tool",
}


def page(result: Result) -> str:
    """An evaluation for the browser."""
    about = result.about
    title = f"Menus for {about.name}"
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    sections = [_summary(result), _apart(result), _by_k(result), _by_part(result)]
    sections += [_by_share(result), _requests(result), _all(result), _words(result)]
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{text(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<header>
<h1>{text(title)}</h1>
<p>{about.tasks:,} requests with {about.groups:,} different sets of tools; a library of \
{about.tools:,} tools and {about.trajectories:,} trajectories to learn from; vectors by \
{text(about.encoder)}. Intervals hold {tables.percent(LEVEL)} of {RESAMPLES:,} resamples, in which \
requests with the same tools are drawn together; differences are paired.</p>
</header>
{"".join(sections)}
<script>{SCRIPT}</script>
</body>
</html>
"""


def _section(title: str, inside: str) -> str:
    return f"<section>\n<h2>{text(title)}</h2>\n{inside}\n</section>\n"


def _summary(result: Result) -> str:
    return _section("Summary", tables.summary(result) + _fields(result))


def _fields(result: Result) -> str:
    """How far replay and executable shares can be trusted."""
    request, tools, nobody, missing = (tables.percent(one) for one in result.fields.values())
    return (
        f"<p>Of the required inputs along the paths, {request} stand in the requests, {tools} are "
        f"outputs of tools called before, and {nobody} are made by no tool of the library: the "
        f"user has to say them, and they count as known. {missing} are made by tools that the path "
        "does not call before, or stand in the request unrecognised; they count as missing, also "
        "for the paths themselves.</p>"
    )


def _apart(result: Result) -> str:
    if not result.rivals:
        return ""
    names = [n for n in tables.MAIN if result.defined(n) and n != "ceiling"]
    found = {
        who: [(MEASURES[name].title, result.whole.differences[who][name]) for name in names]
        for who in result.rivals
    }
    ends = [abs(end) for rows in found.values() for _, one in rows for end in (one.low, one.high)
            if end is not None]  # fmt: skip
    widest = max([0.05, *ends])
    figures = "".join(
        forest(
            f"apart{at}",
            f"{who} minus {result.against}",
            result.names.index(who),
            found[who],
            widest,
        )
        for at, who in enumerate(result.rivals)
    )
    return _section(
        f"Differences to {result.against}",
        "<p>Filled points and coloured numbers: the interval does not hold 0. ↑ and ↓ count the "
        f"requests on which a constructor is better and worse than {text(result.against)}.</p>"
        f'<div class="charts">{figures}</div>{tables.apart(result)}',
    )


def _by_k(result: Result) -> str:
    places = [Place(str(k)) for k in KS]
    figures = "".join(
        chart(
            f"k-{family}",
            f"{MEASURES[f'{family}@{KS[0]}'].title.removesuffix(str(KS[0]))}K",
            places,
            [
                Line(who, [result.whole.means[who][f"{family}@{k}"] for k in KS])
                for who in result.names
            ],
        )
        for family in BY_K
    )
    return _section(
        "By size of the menu", f'{legend(result.names)}<div class="charts">{figures}</div>'
    )


def _by_part(result: Result) -> str:
    found = ""
    for way, parts in result.parts.items():
        if len(parts) > 1:
            found += f"<p>By {WAYS[way]}.</p>{_charts(way, parts, result)}"
    return _section("By path", legend(result.names) + found) if found else ""


def _charts(way: str, parts: dict[str, Part], result: Result) -> str:
    names = [name for name in BY_PART if result.defined(name)]
    places = [Place(mark, f"{one.count} req.") for mark, one in parts.items()]
    figures = "".join(
        chart(
            f"{way}-{name.replace('@', '')}",
            MEASURES[name].title,
            places,
            [Line(who, [one.means[who][name] for one in parts.values()]) for who in result.names],
            joined=way == "length",
        )
        for name in (names if way == "length" else names[:3])
    )
    return f'<div class="charts">{figures}</div>'


def _by_share(result: Result) -> str:
    if len(result.shares) < 2:
        return ""
    places = [
        Place(f"{tables.percent(one.share)}", f"{one.trajectories:,} traj.")
        for one in result.shares
    ]
    figures = "".join(
        chart(
            f"share-{name.replace('@', '')}",
            MEASURES[name].title,
            places,
            [
                Line(
                    who,
                    [one.means[who][name] if who in one.means else None for one in result.shares],
                )
                for who in result.names
            ],
        )
        for name in BY_SHARE
    )
    skipped = "".join(
        f"<p>{text(who)} at {tables.percent(one.share)}: {text(why)}</p>"
        for one in result.shares
        for who, why in one.skipped.items()
    )
    return _section(
        "By share of the train trajectories",
        f'{legend(result.names)}<div class="charts">{figures}</div>{skipped}',
    )


def _requests(result: Result) -> str:
    return _section(
        "Request by request",
        "<p>Menus side by side: the leading eight, and behind them the tools of the path with "
        f"their ranks up to {KS[-1]}. Requests on which the constructors differ come first.</p>"
        + requests(result),
    )


def _all(result: Result) -> str:
    found = f"<details class=more><summary>By size of the menu</summary>{tables.at_k(result)}"
    found += "</details>"
    for way, parts in result.parts.items():
        found += f"<details class=more><summary>By {WAYS[way]}</summary>"
        found += f"{tables.part(parts, result)}</details>"
    return _section("All numbers", found)


def _words(result: Result) -> str:
    last = KS[-1]
    shown = {
        name: one for name, one in MEASURES.items() if "@" not in name
        or name.startswith("first") or name.endswith(f"@{last}")
    }  # fmt: skip
    rows = "".join(
        f"<dt>{text(one.title.replace(f'@{last}', '@K'))}</dt>"
        f"<dd>{text(one.about.replace(f'@{last}', '@K').replace(f'first {last}', 'first K'))}</dd>"
        if name.endswith(f"@{last}")
        else f"<dt>{text(one.title)}</dt><dd>{text(one.about)}</dd>"
        for name, one in shown.items()
    )
    return _section("What is measured, and who built the menus", f"<dl>{rows}</dl>") + _section(
        "Constructors", tables.costs(result)
    )
