"""Renew the answers in dependencies.md from the demo: `python docs/dependencies.py`."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).with_name("dependencies.md")
SHOWN = 8  # lines of an answer; `…` stands for the rest
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def answered(block: str, folder: str) -> str:
    """A console block with what its commands answer now."""
    lines: list[str] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            lines += [line, *_answer(line[2:], folder)]
    return "\n".join(lines) + "\n"


def _answer(line: str, folder: str) -> list[str]:
    words = shlex.split(line, comments=True)[1:]
    environment = {**os.environ, "SPM_STORE": folder, "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-m", "spm.cli", *words], capture_output=True, text=True, env=environment
    )
    found = [text.rstrip() for text in (done.stdout + done.stderr).strip("\n").splitlines()]
    return found if len(found) <= SHOWN else [*found[: SHOWN - 1], "…"]


def main() -> None:
    """Write the page anew."""
    with tempfile.TemporaryDirectory() as folder:
        _answer("spm demo", folder)
        text = PAGE.read_text("utf-8")
        PAGE.write_text(BLOCK.sub(lambda found: answered(found[0], folder), text), "utf-8")


if __name__ == "__main__":
    main()
