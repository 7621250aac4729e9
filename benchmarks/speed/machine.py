"""What a figure was measured on: without it a time means nothing."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path

KILO = 1024


@dataclass(frozen=True)
class Machine:
    """A machine without its name.

    Attributes:
        load: the load average of the last minute, before and after; busy above `cores`.
    """

    processor: str
    cores: int
    memory_gb: int
    system: str
    python: str
    load: tuple[float, float]


def describe(before: float) -> Machine:
    """This machine, given its load when the bench began."""
    return Machine(
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _cores(),
        memory_gb=round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / KILO**3),
        system=platform.system(),
        python=platform.python_version(),
        load=(before, load()),
    )


def load() -> float:
    """How many processes wanted to run, on average over the last minute."""
    return round(os.getloadavg()[0], 2)


def memory(process: int | str = "self") -> dict[str, float]:
    """What a process holds, in MB; `pss` counts a page that n processes share as 1/n of it."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return {}
    said = {line.partition(":")[0]: int(line.split()[1]) / KILO for line in lines}
    return {"rss": round(said["Rss"], 1), "pss": round(said["Pss"], 1)}


def peak() -> float:
    """The most that this process ever held, in MB."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    said = next((line.split()[1] for line in lines if line.startswith("VmHWM:")), "0")
    return round(int(said) / KILO, 1)


def processor_time(process: int) -> float:
    """The seconds of processor time that a process and its threads have taken."""
    said = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(said[11]) + int(said[12])) / os.sysconf("SC_CLK_TCK")


def _cores() -> int:
    return os.cpu_count() or 1


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
