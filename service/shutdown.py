"""A stop that loses nothing: say so at /readyz first, then stop to listen, then finish.

uvicorn stops to listen with the signal. A load balancer that has not looked at /readyz since would
still send requests, which nobody would take.
"""

import asyncio
import signal
import threading
from types import FrameType
from typing import Any

from spm.service.state import Service

SIGNALS = (signal.SIGTERM, signal.SIGINT)


def delay_stops(service: Service) -> None:
    """Let signals reach uvicorn a moment after /readyz began to say no; a second one at once."""
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread hears signals
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        _delay(service, loop, number, signal.getsignal(number))


def _delay(
    service: Service, loop: asyncio.AbstractEventLoop, number: signal.Signals, then: Any
) -> None:
    def stop(sig: int, frame: FrameType | None) -> None:
        wait = 0.0 if service.stopping else service.settings.drain_seconds
        service.stopping = True
        if callable(then):
            loop.call_soon_threadsafe(loop.call_later, wait, then, sig, frame)

    signal.signal(number, stop)
