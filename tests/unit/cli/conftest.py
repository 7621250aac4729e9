"""Running the command line inside this process, and outside of it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Done:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as strict JSON, which must be all there is."""

        def refuse(name: str) -> None:
            raise AssertionError(f"{name} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


@pytest.fixture
def spm(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Run spm in this process, as if in a terminal of 80 columns that is none."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: object) -> Done:
        from spm.cli.main import main

        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return run


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
