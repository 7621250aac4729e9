"""Many runs, several at a time: menus are built here one by one, models are asked in threads."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from queue import SimpleQueue
from threading import Event, Thread

from spm.evaluation.agent.backends import Backend, Simulation
from spm.evaluation.agent.endpoint import Endpoint
from spm.evaluation.agent.episode import Run, play
from spm.evaluation.agent.judge import Gold, Judge, Verdict, by_path, gold, nobody
from spm.evaluation.agent.protocol import BUDGET
from spm.evaluation.agent.shown_menus import Menus, Toolbox, constructor, resolved, toolbox
from spm.registry.catalog.tools import Resolver
from spm.registry.errors import InputError
from spm.registry.menus.golden import GoldenRequest
from spm.registry.registry import Registry


@dataclass(frozen=True)
class Task:
    """A request that is ready to run.

    Attributes:
        golden: the request, and its path where that is known.
        gold: that path in the registry's terms.
        tools: the menu.
    """

    golden: GoldenRequest
    gold: Gold | None
    tools: Toolbox


@dataclass(frozen=True)
class Episode:
    """A run that is over.

    Attributes:
        task: what it was about.
        run: what happened; holds values.
        verdict: what the judge says; None when nobody judges.
        began: when it began.
        seconds: how long it took.
    """

    task: Task
    run: Run
    verdict: Verdict | None
    began: datetime
    seconds: float


Keep = Callable[[Episode], None]
Over = SimpleQueue[Episode | BaseException]


@dataclass(frozen=True)
class Agent:
    """A model with everything it works with but the request.

    Attributes:
        endpoint: the model.
        backend: who answers calls.
        judge: who says whether a run did what was asked.
        budget: calls of one run.
        approved: whether tools that cannot be undone may run for real.
    """

    endpoint: Endpoint
    backend: Backend = field(default_factory=Simulation)
    judge: Judge = by_path
    budget: int = BUDGET
    approved: bool = False

    def episode(self, task: Task, stopped: Callable[[], bool] = lambda: False) -> Episode:
        """Run one request and judge it.

        Raises:
            EndpointError: the endpoint cannot be used at all.
            JudgeError: the judge gives no verdict.
        """
        began, clock = datetime.now(UTC), time.monotonic()
        run = play(
            task.golden.request,
            task.tools,
            self.endpoint,
            self.backend,
            budget=self.budget,
            approved=self.approved,
            stopped=stopped,
        )
        verdict: Verdict | None = None
        if run.ended != "refused":
            verdict = self.judge(task.golden, task.gold, run)
        elif self.judge is not nobody:
            verdict = Verdict(False, run.problem)
        return Episode(task, run, verdict, began, round(time.monotonic() - clock, 3))


def run(
    registry: Registry,
    requests: Iterable[str | GoldenRequest],
    agent: Agent | Endpoint,
    *,
    menus: Menus | None = None,
    parallel: int = 1,
    keep: Keep = lambda episode: None,
) -> Iterator[Episode]:
    """Run requests against a model; yields each episode when it is over, in whatever order.

    Args:
        registry: where the tools are.
        requests: what the model should do, with the known path where there is one.
        agent: the model with its backend and judge; an endpoint alone simulates the tools and
            judges by path.
        menus: who orders the tools, by id or name; without it, the default ranker.
        parallel: runs at a time.
        keep: called with every episode in the thread that ran it, before anything else can happen
            to it.

    Raises:
        EndpointError: the endpoint cannot be used at all; what is over was kept.
        JudgeError: the judge gives no verdict.
    """
    if parallel < 1:
        raise InputError(f"At least one run at a time (got {parallel}).")
    worker = agent if isinstance(agent, Agent) else Agent(agent)
    over: Over = SimpleQueue()
    stop = Event()
    going = 0
    try:
        for task in tasks(registry, requests, menus or constructor("learned", registry)):
            # A daemon, so that Ctrl-C need not wait for a model.
            Thread(target=_work, args=(worker, task, keep, stop, over), daemon=True).start()
            going += 1
            if going == parallel:
                yield _next(over)
                going -= 1
        for _ in range(going):
            yield _next(over)
    finally:
        stop.set()


def tasks(
    registry: Registry, requests: Iterable[str | GoldenRequest], menus: Menus
) -> Iterator[Task]:
    """Make requests ready to run, one by one: a store is not shared between threads.

    Raises:
        InputError: a constructor names a tool that is not there.
    """
    build, resolver = resolved(menus, registry.store), Resolver(registry.store)
    for request in requests:
        golden = request if isinstance(request, GoldenRequest) else GoldenRequest(request, ())
        tools = toolbox(registry.store, build(golden.request, golden.state))
        yield Task(golden, gold(registry.store, resolver, golden), tools)


def _work(worker: Agent, task: Task, keep: Keep, stop: Event, over: Over) -> None:
    try:
        episode = worker.episode(task, stop.is_set)
        keep(episode)
        over.put(episode)
    except BaseException as error:  # whatever it is, whoever waits must hear of it
        over.put(error)


def _next(over: Over) -> Episode:
    found = over.get()
    if isinstance(found, BaseException):
        raise found
    return found
