"""Every request of a report with its menus side by side."""

from collections.abc import Callable

from spm.evaluation.measures import MEASURES
from spm.evaluation.results import Outcome, Result
from spm.registry.menus.menu import PREFIX
from spm.registry.pictures.drawing import shortened
from spm.registry.pictures.svg import text

# What wins and losses are told by.
BY = ("chain@32", "recall@32", "first@1", "first@5", "prefix", "executable_prefix", "replay")
MOST = 2_000
TITLE = 220

Name = Callable[[str], str]


def requests(result: Result) -> str:
    """The list, those requests first on which constructors differ."""
    name = naming(result)
    rows = sorted(result.outcomes, key=lambda one: not _differ(one, result))
    shown = "\n".join(_request(one, result, name) for one in rows[:MOST])
    left = len(rows) - MOST
    more = f"<p>{left:,} more requests are in the JSON.</p>" if left > 0 else ""
    return f"{_form(result)}\n{shown}\n{more}"


def naming(result: Result) -> Name:
    """How tools are called: without their service when all have the same."""
    tools = {tool for one in result.outcomes for tool in one.path}
    tools |= {tool for one in result.outcomes for menu in one.menus.values() for tool in menu}
    alone = len({tool.partition("/")[0] for tool in tools}) == 1
    return lambda tool: text(tool.partition("/")[2] or tool if alone else tool)


def _differ(one: Outcome, result: Result) -> bool:
    return len({one.scores[name]["chain@32"] for name in result.names}) > 1


def _request(one: Outcome, result: Result, name: Name) -> str:
    marks = "".join(_compared(one, rival, result.against) for rival in result.rivals)
    badges = "".join(_badge(one, who) for who in result.names)
    path = " → ".join(name(tool) for tool in one.path)
    menus = "".join(_menu(one, who, name) for who in result.names)
    many = f"{len(one.path)} tool{'s' if len(one.path) > 1 else ''}"
    known = "its tools solved a train request" if one.seen else "new combination of tools"
    return (
        f'<details class="r" data-o="{marks}" data-n="{one.length}" data-s="{int(one.seen)}">'
        f'<summary><span class="q">{text(shortened(one.request, TITLE))}</span>'
        f'<span class="m">{text(shortened(one.id, 60))} · {many} · {known}</span>'
        f'<span class="b">{badges}</span></summary>\n'
        f'{_whole(one)}<p class="path">Path: {path}</p><div class="menus">{menus}</div></details>'
    )


def _whole(one: Outcome) -> str:
    cut = shortened(one.request, TITLE) != shortened(one.request, 20_000)
    return f'<p class="path">{text(one.request)}</p>' if cut else ""


def _compared(one: Outcome, rival: str, against: str) -> str:
    """A sign for each measure: better, worse, the same, or not defined."""
    found = ""
    for measure in BY:
        mine, other = one.scores[rival][measure], one.scores[against][measure]
        if mine is None or other is None:
            found += "-"
        else:
            found += "b" if mine > other else "w" if mine < other else "s"
    return found


def _badge(one: Outcome, who: str) -> str:
    there = len({*one.menus[who]} & {*one.path})
    whole = ' class="all"' if there == len(one.path) else ""
    return f"<span{whole}>{text(who)} {there}/{len(one.path)}</span>"


def _menu(one: Outcome, who: str, name: Name) -> str:
    """The leading tools, those of the path behind them, and those that are missing."""
    menu, place = one.menus[who], {tool: at for at, tool in enumerate(one.path, 1)}
    rows = []
    for rank, tool in enumerate(menu, 1):
        if tool in place:
            step = f"<i>step {place[tool]}</i>"
            rows.append(f'<li class="g" value="{rank}">{name(tool)}{step}</li>')
        elif rank <= PREFIX:
            rows.append(f"<li>{name(tool)}</li>")
    missing = [name(tool) for tool in one.path if tool not in menu]
    lost = f"<p>Missing: {', '.join(missing)}</p>" if missing else ""
    return f"<div><h3>{text(who)}</h3><ol>{''.join(rows)}</ol>{lost}</div>"


def _form(result: Result) -> str:
    """What the list can be narrowed by; shown by the script, because it needs it."""
    lengths = [(mark, f"{mark} tools") for mark in result.parts["length"]]
    asked = ""
    if result.rivals:
        who = _select("who", [(str(at), name) for at, name in enumerate(result.rivals)])
        how = _select(
            "how", [("", "any outcome"), ("b", "better"), ("w", "worse"), ("s", "the same")]
        )
        on = _select("on", [(str(at), MEASURES[name].title) for at, name in enumerate(BY)])
        asked = f"<span>{who} against {text(result.against)}: {how} on {on}</span>"
    length = _select("length", [("", "any length"), *lengths])
    seen = _select("seen", [("", "seen or not"), ("1", "seen tools"), ("0", "new combinations")])
    return (
        f'<form id="choose" data-measures="{len(BY)}" hidden>{asked}{length}{seen}'
        '<input name="text" type="search" placeholder="words" aria-label="Words of the request">'
        '<output id="shown" aria-live="polite"></output></form>'
    )


def _select(name: str, options: list[tuple[str, str]]) -> str:
    said = {
        "who": "Constructor",
        "how": "Outcome",
        "on": "Measure",
        "length": "Path",
        "seen": "Seen",
    }
    rows = "".join(f'<option value="{value}">{text(label)}</option>' for value, label in options)
    return f'<select name="{name}" aria-label="{said[name]}">{rows}</select>'
