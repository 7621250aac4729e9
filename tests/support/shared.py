"""Things that are dear to make: once per run of pytest, however many workers share it."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder of this process, copied from the one that the first worker to ask has made.

    Args:
        factory: pytest's; its base folder belongs to one run, so nothing is stale in the next.
        name: which folder; the same name must always come with the same `make`.
        make: fills the folder, which it creates.

    Returns:
        A copy, so that no worker sees what another one writes beside it.
    """
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # of all workers
    made = base / f"shared-{name}"
    with (base / f"shared-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            draft = factory.mktemp(name) / "draft"
            make(draft)
            draft.rename(made)
    return Path(shutil.copytree(made, factory.mktemp(name) / name))
