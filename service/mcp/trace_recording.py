"""Calls through a frozen menu become trajectories: which tool, which fields, whether it worked.

What never reached a tool (invalid arguments, nobody's approval, no backend) is no evidence about it
and is left out. Values are gone before anything is kept. A run ends with its session, after a while
without a call, or when the service stops; then it is imported like any other trace. It counts as
successful when the tool that the menu leads to ran.
"""

import logging
import time
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

import anyio

from spm.registry.encoding import encode_only
from spm.registry.errors import SpmError
from spm.registry.menus.frozen import Frozen
from spm.registry.models import Trace
from spm.registry.registry import Registry
from spm.registry.traces.data_flow import flows, marks
from spm.registry.traces.redaction import Call, clean, shape
from spm.registry.traces.trace_file import MAX_STEPS
from spm.service.mcp.registry_calls import RegistryCalls
from spm.service.problems import Problem

log = logging.getLogger("spm.service.mcp")
IDLE = 300.0  # seconds without a call after which a run is over
EVERY = 15.0
MOST = 10_000  # runs at once; the longest idle one makes room


@dataclass
class _Run:
    menu: Frozen
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    touched: float = field(default_factory=time.monotonic)
    calls: list[Call] = field(default_factory=list)


class Recorder:
    """The runs that go on in this process."""

    def __init__(self, desk: RegistryCalls, idle: float = IDLE) -> None:
        self._desk = desk
        self._idle = idle
        self._runs: dict[Hashable, _Run] = {}
        self._over: list[_Run] = []

    def note(
        self, key: Hashable, menu: Frozen, tool: str, arguments: object, result: object, ok: bool
    ) -> None:
        """Remember a call, without a value."""
        run = self._runs.setdefault(key, _Run(menu))
        run.touched = time.monotonic()
        run.calls.append(
            Call(
                tool,
                ok,
                takes=shape(arguments),
                gives=shape(result) if ok else {},
                took=marks(arguments),
                gave=marks(result) if ok else (),
            )
        )
        if len(run.calls) >= MAX_STEPS:
            self._over.append(self._runs.pop(key))
        if len(self._runs) > MOST:
            oldest = min(self._runs, key=lambda known: self._runs[known].touched)
            self._over.append(self._runs.pop(oldest))

    def touch(self, key: Hashable) -> None:
        """Keep a run going: somebody called, though no tool heard of it."""
        if run := self._runs.get(key):
            run.touched = time.monotonic()

    async def end(self, which: Callable[[Hashable], bool] = lambda key: True) -> int:
        """End runs and import them; returns how many were imported.

        What cannot be written now is kept and tried again with the next.
        """
        self._close([key for key in self._runs if which(key)])
        waiting, self._over = self._over, []
        if not waiting:
            return 0
        try:
            return await self._desk.write(lambda registry: _imported(registry, waiting))
        except (SpmError, Problem) as error:
            log.warning("%d runs were not recorded yet: %s", len(waiting), error)
            self._over = [*waiting, *self._over][-MOST:]
            return 0

    async def end_idle(self) -> int:
        """End the runs in which nothing happened for a while."""
        since = time.monotonic() - self._idle
        idle = {key for key, run in self._runs.items() if run.touched <= since}
        return await self.end(idle.__contains__) if idle or self._over else 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """End idle runs from time to time, and all of them at last."""

        async def watch() -> None:
            while True:
                await anyio.sleep(min(EVERY, self._idle))
                await self.end_idle()

        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            try:
                yield
            finally:
                group.cancel_scope.cancel()
                with anyio.CancelScope(shield=True):
                    await self.end()

    def _close(self, keys: list[Hashable]) -> None:
        self._over += [self._runs.pop(key) for key in keys]


def trace_of(run: _Run) -> Trace:
    """A run as `spm traces import` takes it."""
    request = clean(run.menu.request)
    target = run.menu.target or (run.menu.route[-1] if run.menu.route else None)
    return Trace.model_validate(
        {
            "trace_id": f"mcp-{uuid4().hex}",
            "request": request,
            "steps": [
                {"tool": call.tool, "ok": call.ok, "takes": call.takes, "gives": call.gives}
                for call in run.calls
            ],
            "flows": [flow._asdict() for flow in flows(request, run.calls)],
            "success": any(call.ok and call.tool == target for call in run.calls),
            "source": f"spm mcp: {run.menu.id}",
            "time": run.began.replace(microsecond=0),
        }
    )


def _imported(registry: Registry, runs: list[_Run]) -> int:
    from spm.gnn.encoders.by_name import encoder_of

    traces = [trace_of(run) for run in runs]
    done = registry.import_traces(traces, skip_unknown=True).imported
    if done:
        brought = [trace.identity() for trace in traces]
        encode_only(registry.store, encoder_of(registry.store), "trajectory", brought)
    return done
