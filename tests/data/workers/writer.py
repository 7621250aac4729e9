"""A process that others kill: forks a writer for each line it reads, so that a trial costs 10 ms.

In: [task, folder, start, count] as JSON. Out: `pid N`, what the writer says, `end STATUS`.
"""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from spm.registry.catalog.registration import register
from spm.registry.errors import StoreError, StoreLocked
from spm.registry.store import disk, embedded_store
from tests.data.workers import workload


def say(*words: object) -> None:
    # One system call for a line: what is in the pipe was acknowledged before the kill.
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def in_pieces(descriptor: int, data: bytes) -> None:
    for start in range(0, len(data), 500):
        os.write(descriptor, data[start : start + 500])
        time.sleep(0.0005)


def write(folder: Path, start: int, count: int) -> None:
    """Do operations until killed; acknowledge each; close and open again now and then."""
    embedded_store.CHECKPOINT_BYTES = 20_000
    if start % 2:
        disk._write = in_pieces  # so that kills also hit the middle of a record
    store = embedded_store.EmbeddedStore(folder)
    say("ready")
    for number in range(start, start + count):
        workload.perform(store, number)
        say("ack", number)
        if number % 5 == 4:
            store.close()
            store = embedded_store.EmbeddedStore(folder)
    store.close()


def interrupt(folder: Path, start: int, count: int) -> None:
    """The same, but go on after Ctrl-C with the same object until `count` more are done."""
    embedded_store.CHECKPOINT_BYTES = 20_000
    store = embedded_store.EmbeddedStore(folder)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        say("ready")
        for number in range(start, start + 1_000):
            workload.perform(store, number)
            say("ack", number)
            if number % 5 == 4:
                store.close()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        now = workload.done(workload.dump(store))
        say("interrupted", now)
        for number in range(now, now + count):
            workload.perform(store, number)
            say("ack", number)
        store.close()
        say("closed")


def hold(folder: Path, start: int, count: int) -> None:
    """Do `count` operations, then keep the lock."""
    store = embedded_store.EmbeddedStore(folder)
    for number in range(start, start + count):
        workload.perform(store, number)
        say("ack", number)
    say("holding")
    signal.pause()


def try_once(folder: Path, start: int, count: int) -> None:
    """One write; says how it ended."""
    try:
        workload.perform(embedded_store.EmbeddedStore(folder), start)
        say("written")
    except StoreLocked as error:
        say("locked", error)


def race(folder: Path, start: int, count: int) -> None:
    """Register `count` own services beside another who does the same; wait while locked."""
    for number in range(count):
        while True:
            store = embedded_store.EmbeddedStore(folder)
            try:
                register(store, workload.manifest(f"r{start}x{number}", size=2))
            except StoreLocked:
                say("locked")
                continue
            finally:
                store.close()
            say("ack", number)
            break


def limited(folder: Path, start: int, count: int) -> None:
    """Write until the file size limit (`count` bytes) stops it; then read; then without limit."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, hard))
    until_full(folder, start, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard)))


def mounted(folder: Path, start: int, count: int) -> None:
    """The same on a real file system of `count` bytes; run me in a mount namespace of my own."""
    os.makedirs(folder, exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={count}", "tmpfs", str(folder))
    store = folder / "store"
    until_full(store, start, lambda: _mount("-o", "remount,size=64m", str(folder)))


def _mount(*words: str) -> None:
    if status := os.spawnvp(os.P_WAIT, "mount", ["mount", *words]):
        raise OSError(f"mount {' '.join(words)}: {status}")


def until_full(folder: Path, start: int, enlarge: Callable[[], None]) -> None:
    store = embedded_store.EmbeddedStore(folder)
    number = start
    try:
        while True:
            workload.perform(store, number)
            number += 1
    except StoreError as error:
        say("full", number, type(error).__name__, error)
    # Full: the same object and a new one read, the closing write fails quietly, doctor looks.
    say("read", workload.done(workload.dump(store)))
    store.close()
    say("reopened", workload.verify(folder, number, number))
    try:
        workload.perform(embedded_store.EmbeddedStore(folder), number)
        say("again", "written")
    except StoreError as error:
        say("again", type(error).__name__)
    enlarge()
    for later in range(number, number + 5):
        workload.perform(store, later)
    store.close()
    say("resumed", workload.verify(folder, number + 5, number + 5))


TASKS = {task.__name__: task for task in (write, interrupt, hold, try_once, race, limited, mounted)}


def main() -> None:
    for line in sys.stdin:
        task, folder, start, count = json.loads(line)
        child = os.fork()
        if not child:
            status = 1
            try:
                say("pid", os.getpid())
                TASKS[task](Path(folder), start, count)
                status = 0
            except BaseException as error:
                say("error", repr(error))
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        say("end", status)


if __name__ == "__main__":
    main()
