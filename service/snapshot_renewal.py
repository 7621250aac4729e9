"""Keeps the snapshot of a Neo4j store current while a service runs.

On the embedded engine the first menu after a write makes it anew. On a server that takes half a
minute at 16,000 tools, so no request waits for it: every worker looks now and then, and one of them
at a time starts `gnn.snapshot.renewal_process`, for a tenth of the time at most. In between the
database answers.
"""

import asyncio
import logging
import sys
import time

from spm.gnn.snapshot.lifecycle import snapshots_of
from spm.gnn.snapshot.renewal_process import NOTHING
from spm.registry.errors import SpmError
from spm.registry.registry import Registry
from spm.service.problems import Problem
from spm.service.state import Service

log = logging.getLogger("spm.renewal")
PAUSE = 5.0  # seconds between two looks
SPARE = 9.0  # times as long as it took is waited before the next
BUSY, FAILED = 20.0, 60.0
COMMAND = (sys.executable, "-m", "spm.gnn.snapshot.renewal_process")


async def keep(service: Service) -> None:
    """Look and renew, until it is cancelled."""
    if service.holding.alone:
        return
    pause = PAUSE
    while True:
        await asyncio.sleep(pause)
        # What this worker encodes itself is left to it.
        due = not len(service.encoding) and await _stale(service)
        pause = await _renewed(service) if due else PAUSE


async def _stale(service: Service) -> bool:
    try:
        return await service.ask(_lacks)
    except (SpmError, Problem):
        return False  # away or busy: there will be another look


def _lacks(registry: Registry) -> bool:
    return registry.store.stamp() is not None and snapshots_of(registry).current() is None


async def _renewed(service: Service) -> float:
    """Have it made; returns how long to wait before the next look."""
    began = time.monotonic()
    store = [service.settings.store] if service.settings.store else []
    process = await asyncio.create_subprocess_exec(
        *COMMAND, *store, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    try:
        _, said = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    took = time.monotonic() - began
    if process.returncode == NOTHING:
        return max(BUSY, SPARE * took)  # another worker is at it, or somebody wrote meanwhile
    if process.returncode:
        reason = said.decode(errors="replace").strip().splitlines() or ["no reason was given"]
        log.warning("The snapshot was not renewed: %s", reason[-1][:500])
        return max(FAILED, SPARE * took)
    log.info("The snapshot was renewed in %.1f s", took)
    return max(PAUSE, SPARE * took)
