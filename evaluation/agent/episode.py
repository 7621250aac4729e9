"""One run: a request, a menu, a model that calls tools, and the result of each call."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal

from spm.evaluation.agent.backends import Arguments, Backend
from spm.evaluation.agent.endpoint import Endpoint, Json, Reply
from spm.evaluation.agent.protocol import BUDGET, opening
from spm.evaluation.agent.shown_menus import Toolbox
from spm.registry.calling.arguments import Invalid, check, parsed
from spm.registry.calling.callable_tool import Failed, NotCalled
from spm.registry.calling.observations import Observation, Outcome, observation, standard
from spm.registry.errors import EndpointRefused

Ending = Literal["answer", "budget", "refused"]


class Stopped(Exception):
    """Nobody waits for this run any more."""


@dataclass(frozen=True)
class Call:
    """One call, or one message that said nothing; each of them cost one.

    Attributes:
        name: what the model called; empty when it said nothing.
        tool: which tool of the menu that is; None for what is not in it.
        arguments: an object, or None when the model wrote something else.
        observation: what became of it, and what the model read.
        result: what the tool returned; not for keeping.
    """

    name: str
    tool: str | None
    arguments: Arguments | None
    observation: Observation
    result: object = None

    @property
    def outcome(self) -> Outcome:
        """What became of it."""
        return self.observation.outcome

    @property
    def ok(self) -> bool:
        """Whether the tool ran and returned something."""
        return self.outcome == "ok"


@dataclass
class Run:
    """A run while it goes on, and when it is over.

    Attributes:
        messages: the whole conversation, as the model saw it.
        calls: in order; never more than the budget.
        ended: by the model's answer, with the last call, or by the endpoint's refusal.
        answer: the model's last words; empty unless it ended with them.
        problem: why the endpoint refused.
    """

    messages: list[Json]
    calls: list[Call] = field(default_factory=list)
    ended: Ending = "budget"
    answer: str = ""
    problem: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def take(self, reply: Reply) -> None:
        """Add a message of the model."""
        self.messages.append(reply.message())
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens

    def tell(self, call: Call, **message: Any) -> None:
        """Add a call, and what the model reads about it."""
        self.calls.append(call)
        self.messages.append({**message, "content": call.observation.text})


def play(
    request: str,
    toolbox: Toolbox,
    endpoint: Endpoint,
    backend: Backend,
    *,
    budget: int = BUDGET,
    approved: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> Run:
    """Let a model work on a request until it answers or has no call left.

    Args:
        request: what it should do.
        toolbox: the menu; nothing else can be called.
        endpoint: the model.
        backend: who answers calls.
        budget: calls that it has.
        approved: whether tools that cannot be undone may run for real.
        stopped: asked before every turn.

    Raises:
        EndpointError: the endpoint cannot be used at all.
        Stopped: as `stopped` said.
    """
    run = Run(opening(request))
    while len(run.calls) < budget:
        if stopped():
            raise Stopped
        try:
            reply = endpoint.chat(run.messages, toolbox.definitions)
        except EndpointRefused as error:
            run.ended, run.problem = "refused", str(error)
            return run
        run.take(reply)
        if not reply.calls and reply.text.strip():
            run.ended, run.answer = "answer", reply.text
            return run
        if not reply.calls:
            run.tell(Call("", None, None, standard("empty response")), role="user")
        for asked in reply.calls[: budget - len(run.calls)]:
            call = called(backend, toolbox, asked.name, asked.arguments, approved=approved)
            run.tell(call, role="tool", tool_call_id=asked.id)
    return run


def called(
    backend: Backend, toolbox: Toolbox, name: str, said: object, *, approved: bool = False
) -> Call:
    """Make one call that the model asks for.

    Every way in which that can go wrong ends in one of the standard observations.
    """
    tool = toolbox.tools.get(name)
    if tool is None:
        return Call(name, None, None, standard("missing tool", repr(name)))
    arguments: Arguments | None = None
    try:
        arguments = parsed(said)
        check(arguments, tool.takes)
    except Invalid as error:
        return Call(name, tool.id, arguments, standard("invalid arguments", str(error)))
    if backend.real and tool.spec.effects == "destructive" and not approved:
        return Call(name, tool.id, arguments, standard("declined"))
    try:
        result = backend.call(tool, deepcopy(arguments))  # a tool may change what it is given
        return Call(name, tool.id, arguments, observation(result), result)
    except NotCalled as error:
        return Call(name, tool.id, arguments, standard("not called", _reason(error)))
    # A tool may raise anything, also when it calls sys.exit; the run goes on.
    except (Exception, SystemExit) as error:
        return Call(name, tool.id, arguments, standard("exception", _reason(error)))


def _reason(error: BaseException) -> str:
    said = " ".join(str(error).split()).rstrip(".")
    if isinstance(error, Failed) and said:
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
