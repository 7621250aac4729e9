"""Running the benchmarks' commands, and spm, inside this process."""

from collections.abc import Callable

import pytest

from benchmarks import commands
from tests.data.terminal import Done, in_process


@pytest.fixture
def benchmarks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Done]:
    """Run `python -m benchmarks`, as if in a terminal of 80 columns that is none."""
    monkeypatch.setenv("COLUMNS", "80")
    return in_process(commands.main, capsys)
