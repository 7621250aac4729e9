"""Running the command line inside this process, and outside of it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.data.terminal import Done, in_process


@pytest.fixture
def spm(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Run spm in this process, as if in a terminal of 80 columns that is none."""
    from spm.cli.main import main

    monkeypatch.setenv("COLUMNS", "80")
    return in_process(main, capsys)


@pytest.fixture
def shell() -> Callable[..., Done]:
    """Run spm as a process of its own."""

    def run(*arguments: object, stdin: str = "", **environment: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "spm.cli", *map(str, arguments)],
            env={**os.environ, "COLUMNS": "80", **environment},
            input=stdin.encode(),
            capture_output=True,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def in_shop(spm: Callable[..., Done], demo_folder: Path) -> Callable[..., Done]:
    """Run spm on the demo, to read from."""
    return lambda *arguments: spm(*arguments, "--store", demo_folder)
