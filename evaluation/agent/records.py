"""The record of a run: called tools and outcomes, never a value.

A record is one JSON line:

    key         of the request, its state and its path: a run that goes on knows it by this
    request     what was asked; state and path as they were given, the path with ids
    setting     model, menus, backend, judge, sizes, seed: what must be equal to be compared
    menu        ids of the tools that the model saw, in order
    calls       tool (null when the menu has none), name (of what it has not), outcome, takes
    ended       answer, budget or refused (the endpoint did not take the conversation)
    success     what the judge says, with its reason; null when nobody judged
    seconds     with prompt_tokens and completion_tokens, as far as the server says
    trace       the run as `spm traces import` takes it; null when no call reached a tool

Results that nobody observed, because tools were simulated, are not in the trace either.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from spm.evaluation.agent.episode import Call, Ending
from spm.evaluation.agent.runner import Episode
from spm.registry.calling.observations import OUTCOMES, Outcome
from spm.registry.catalog.naming import visible_text
from spm.registry.menus.golden import GoldenRequest
from spm.registry.models import Trace, digest
from spm.registry.traces.redaction import clean, is_name, shape
from spm.registry.traces.trace_file import MAX_STEPS


@dataclass(frozen=True)
class KeptCall:
    """A call without its values."""

    tool: str | None
    name: str
    outcome: Outcome
    takes: dict[str, str]


@dataclass(frozen=True)
class Record:
    """A run without its values; see the module."""

    key: str
    request: str
    state: list[str]
    path: list[str]
    setting: dict[str, Any]
    menu: list[str]
    calls: list[KeptCall]
    ended: Ending
    success: bool | None
    reason: str
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    trace: dict[str, Any] | None


@dataclass(frozen=True)
class Summary:
    """Runs in numbers.

    Attributes:
        runs: all of them.
        judged: those that somebody judged.
        succeeded: those of them that did what was asked.
        known: those whose path is known.
        offered: those of them whose menu had every tool of the path.
        endings: how runs ended.
        outcomes: what became of calls.
    """

    runs: int
    judged: int
    succeeded: int
    known: int
    offered: int
    endings: dict[Ending, int]
    outcomes: dict[Outcome, int]
    prompt_tokens: int
    completion_tokens: int
    seconds: float

    @property
    def calls(self) -> int:
        """All calls."""
        return sum(self.outcomes.values())

    @property
    def rate(self) -> float | None:
        """The share of judged runs that succeeded; None when nobody judged."""
        return round(self.succeeded / self.judged, 4) if self.judged else None

    def as_dict(self) -> dict[str, Any]:
        """Everything, plain enough for JSON."""
        return {**asdict(self), "calls": self.calls, "rate": self.rate}


def key_of(golden: GoldenRequest) -> str:
    """What makes two requests the same one."""
    return digest(asdict(golden))[:16]


def record(episode: Episode, setting: dict[str, Any], *, observed: bool) -> Record:
    """Keep of a run what may be kept.

    Args:
        episode: the run.
        setting: under which it was made; must name `model` and `backend`.
        observed: whether results are those of the real tools.
    """
    task, run, verdict = episode.task, episode.run, episode.verdict
    found = trace(episode, setting, observed=observed)
    return Record(
        key=key_of(task.golden),
        request=task.golden.request,
        state=list(task.golden.state),
        path=list(task.gold.path) if task.gold else [],
        setting=setting,
        menu=task.tools.ids,
        calls=[_kept(call) for call in run.calls],
        ended=run.ended,
        success=verdict.success if verdict else None,
        reason=verdict.reason if verdict else run.problem,
        seconds=episode.seconds,
        prompt_tokens=run.prompt_tokens,
        completion_tokens=run.completion_tokens,
        trace=found.model_dump(mode="json", exclude_defaults=True) if found else None,
    )


def trace(episode: Episode, setting: dict[str, Any], *, observed: bool) -> Trace | None:
    """The run as a trajectory; None without a call that reached a tool of the menu.

    A call with invalid arguments, or one that nobody approved, is no error of the tool. A run that
    nobody judged counts as not successful: order is learned from successes alone.
    """
    steps = [
        {
            "tool": call.tool,
            "ok": call.ok,
            "arguments": call.arguments or {},
            "result": call.result if observed else None,
        }
        for call in episode.run.calls
        if call.tool and call.observation.reached
    ]
    if not steps:
        return None
    simulated = "" if observed else ", tools simulated"
    return Trace.model_validate(
        {
            "trace_id": f"agent-{uuid4().hex}",
            "request": clean(episode.task.golden.request),
            "steps": steps[:MAX_STEPS],
            "success": episode.verdict is not None and episode.verdict.success,
            "source": visible_text(f"spm agent run: {setting['model']}{simulated}"),
            "time": episode.began.replace(microsecond=0),
        }
    )


def summary(records: Iterable[Record]) -> Summary:
    """Count runs."""
    records = list(records)
    judged = [one for one in records if one.success is not None]
    known = [one for one in records if one.path]
    endings = Counter(one.ended for one in records)
    outcomes = Counter(call.outcome for one in records for call in one.calls)
    return Summary(
        runs=len(records),
        judged=len(judged),
        succeeded=sum(one.success is True for one in judged),
        known=len(known),
        offered=sum(set(one.path) <= set(one.menu) for one in known),
        endings={"answer": endings["answer"], "budget": endings["budget"],
                 "refused": endings["refused"]},
        outcomes={outcome: outcomes[outcome] for outcome in OUTCOMES},
        prompt_tokens=sum(one.prompt_tokens for one in records),
        completion_tokens=sum(one.completion_tokens for one in records),
        seconds=round(sum(one.seconds for one in records), 3),
    )  # fmt: skip


def _kept(call: Call) -> KeptCall:
    # What a model makes up is kept only when it looks like a name.
    name = call.name if call.tool is None and is_name(call.name) else ""
    return KeptCall(call.tool, name, call.outcome, shape(call.arguments))
