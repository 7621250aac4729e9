"""Every console block of the documents runs: in order, page by page, on a copy of the demo.

A line `$ spm …` is run and its exit code compared (0, or what a comment `# exit code 1` says), and
so is the output that is shown below it, where `…` stands for anything. A block that cannot run
offline says why in its first line: ```console skip="Docker".
"""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

import pytest

import spm
from tests.data.terminal import in_process

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
SKIPPED = 19  # blocks that say why they are not run; a new one has to be meant
BLOCK = re.compile(r'^```console(?: skip="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WORDS = re.findall(r"^([a-z0-9]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
SERVICE = "127.0.0.1:8321"


@dataclass
class Command:
    """One line that is typed, and what is shown below it."""

    line: str
    shown: list[str] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        return shlex.split(self.line, comments=True)

    @property
    def code(self) -> int:
        told = re.search(r"# exit code (\d+)", self.line)
        return int(told[1]) if told else 0


def blocks(page: Path) -> list[tuple[str, str]]:
    """Why each console block is not run, or nothing; and its text."""
    return BLOCK.findall(page.read_text("utf-8"))


def commands(page: Path) -> Iterator[Command]:
    for skip, text in blocks(page):
        found: list[Command] = []
        for line in () if skip else text.splitlines():
            if line.startswith("$ "):
                found.append(Command(line[2:]))
            else:
                found[-1].shown.append(line.rstrip())
        yield from found


def matches(shown: list[str], out: str) -> bool:
    """Whether output is as shown; `…` stands for anything, also for several lines."""
    lines = "\n".join(line.rstrip() for line in out.strip("\n").splitlines())
    pattern = ".*".join(map(re.escape, "\n".join(shown).split("…")))
    # A line of its own may stand for no line at all.
    return re.fullmatch(pattern.replace("\\\n.*", "(?:\\\n.*)?"), lines, re.DOTALL) is not None


class Session:
    """One page: a folder, the demo as the registry of the user, perhaps a running service."""

    def __init__(self, main: Callable[..., int], capture: pytest.CaptureFixture[str]) -> None:
        self.run_spm = in_process(main, capture)
        self.address = ""
        self.ending = ExitStack()

    def run(self, command: Command) -> tuple[int, str]:
        words = command.words
        target = words.index(">") if ">" in words else len(words)
        code, out, err = self._run(words[:target])
        if target < len(words):
            Path(words[target + 1]).write_text(out, "utf-8")
            out = ""
        return code, out + err

    def _run(self, words: list[str]) -> tuple[int, str, str]:
        match words:
            case ["spm", "serve"]:
                self.address = self.ending.enter_context(service())
                return 0, "", ""
            case ["spm", "mcp", *_]:  # its client goes away at once
                return process([sys.executable, "-m", "spm.cli", *words[1:]])
            case ["spm", *arguments]:
                done = self.run_spm(*arguments)
                return done.code, done.out, done.err
            case ["curl", *arguments]:
                return process(["curl", *(a.replace(SERVICE, self.address) for a in arguments)])
            case ["make", word]:
                assert word in WORDS, word
                return process(["make", "-C", str(ROOT), word]) if word == "help" else (0, "", "")
        raise AssertionError(f'nobody knows how to run {words}; say skip="why" in the block')


def process(command: list[str]) -> tuple[int, str, str]:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@contextmanager
def service() -> Iterator[str]:
    """The address of a service on the registry of the user."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "spm.cli", "serve", "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as running:
        try:
            ready(f"http://127.0.0.1:{port}/readyz")
            yield f"127.0.0.1:{port}"
        finally:
            running.terminate()


def ready(address: str) -> None:
    for _ in range(600):
        try:
            with urlopen(address):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"no answer from {address}")


@pytest.fixture
def folder(tmp_path: Path, demo_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that pages name; the registry of the user is the demo."""
    data = tmp_path / "data"
    shutil.copytree(demo_folder, data / "spm" / "registry")
    work = Path(shutil.copytree(ROOT / "docs" / "samples", tmp_path / "work"))
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.chdir(work)
    return work


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if any(commands(page))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_the_commands_of_a_page_do_what_it_shows(page, folder, capsys):
    from spm.cli.main import main

    session = Session(main, capsys)
    with session.ending:
        for command in commands(page):
            code, out = session.run(command)
            assert code == command.code, f"{command.line}\n{out}"
            if command.shown:
                assert matches(command.shown, out), f"{command.line}\n{out}"


def test_blocks_that_are_not_run_are_counted():
    skipped = [(page.name, why) for page in PAGES for why, _ in blocks(page) if why]
    assert len(skipped) == SKIPPED, skipped
    ran = [command for page in PAGES for command in commands(page)]
    assert len(ran) > 3 * SKIPPED


def test_no_console_block_escapes():
    for page in PAGES:
        text = page.read_text("utf-8")
        assert len(blocks(page)) == len(re.findall(r"^```console", text, re.MULTILINE)), page


def test_what_is_shown_is_compared():
    assert matches(["a", "…", "b"], "a\nx\ny\nb\n")
    assert matches(["a", "…", "b"], "a\nb")
    assert matches(["a…", "b"], "a and more\nb")
    assert not matches(["a", "b"], "a\nc\nb")
    assert not matches(["a", "…", "b"], "a\nx")


@pytest.mark.skipif(not hasattr(spm, "open"), reason="this tree has no public API yet")
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if PYTHON.search(page.read_text("utf-8"))],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_the_python_of_a_page_runs(page, folder):
    for number, text in enumerate(PYTHON.findall(page.read_text("utf-8"))):
        exec(compile(text, f"{page.name}, block {number}", "exec"), {})
