"""The results of `spm agent run` as tables."""

from typing import TYPE_CHECKING

from spm.cli.views.console import say, table

if TYPE_CHECKING:
    from spm.evaluation.agent.records import Record
    from spm.evaluation.agent.series import Series

LIMIT = 20
ENDED = {
    "answer": "ended with an answer",
    "budget": "ended with the last call",
    "refused": "refused by the endpoint",
}


def show(series: "Series") -> None:
    """Print one run call by call, many in numbers."""
    if len(series.over) == 1:
        _one(series.over[0], series.answers.get(series.over[0].key, ""))
    else:
        _many(series)


def _one(record: "Record", answer: str) -> None:
    rows = [
        [place, call.tool or call.name or "-", call.outcome, ", ".join(call.takes)]
        for place, call in enumerate(record.calls, 1)
    ]
    if rows:
        table(["#", "called", "outcome", "arguments"], rows, wrap=["called", "arguments"])
        say()
    verdict = "not judged" if record.success is None else "success" if record.success else "failure"
    reason = f" ({record.reason})" if record.reason else ""
    say(f"{verdict}{reason}; {ENDED[record.ended]}, {len(record.calls)} calls")
    if answer:
        say()
        say(answer)


def _many(series: "Series") -> None:
    counted = series.summary
    say(f"{counted.runs} runs of {series.agent.endpoint.model} with {series.menu} menus")
    rows = [[f"succeeded (judge: {series.judge})", _share(counted.succeeded, counted.judged)]]
    rows += [["whole path in the menu", _share(counted.offered, counted.known)]]
    rows += [[ENDED[ending], f"{count:,}"] for ending, count in counted.endings.items() if count]
    rows += [["calls", f"{counted.calls:,} ({counted.calls / counted.runs:.1f} a run)"]]
    rows += [[f"  {outcome}", f"{count:,}"] for outcome, count in counted.outcomes.items() if count]
    rows += [["tokens in, out", f"{counted.prompt_tokens:,}, {counted.completion_tokens:,}"]]
    table(["measure", "value"], rows, wrap=["measure"], keep=["value"])
    failed = [record for record in series.over if record.success is False]
    if failed:
        say()
        say(f"Failures: {len(failed)}")
        shown = [[record.request, record.reason] for record in failed[:LIMIT]]
        table(["request", "reason"], shown, wrap=["request", "reason"])
        if len(failed) > LIMIT:
            say(f"… and {len(failed) - LIMIT} more; see them with --json")


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / whole:.3f})" if whole else "-"
