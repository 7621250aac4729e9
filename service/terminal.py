"""The terminal's side of a warm process: ask it, or say nothing and let this process work.

Imported by every `spm menu` before anything else, so it needs a few modules of the standard library
and no more. An answer is printed whole or not at all; whatever is not as expected means: no answer.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as typing has it, which takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

FORMAT = 1
OFF = "SPM_DAEMON"  # "0": never ask a warm process
CONNECT_SECONDS, ANSWER_SECONDS = 0.5, 60.0
UNHEARD = 141  # as `spm.cli.main` ends when nobody reads
# What the answer looks like depends on these; what it says, on those that `identity` has.
SHOWN = ("COLUMNS", "LINES", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE")
_PACKAGES = ("cli", "service", "gnn", "registry", "cypher")
# These write files or ask for a stop in between: they are done by the process that was asked.
_OWN = ("--lock", "--html", "--names", "--debug", "--help", "-h", "--")


def answered(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> int | None:
    """Let a warm process answer; the exit code, or None when there is none or it will not."""
    folder = place(environment)
    if environment.get(OFF) == "0":
        return None
    try:
        if not any(name.endswith(".sock") for name in os.listdir(folder)):
            return None
        if any(text.partition("=")[0] in _OWN for text in arguments):
            return None
        path = socket_of(_store(arguments), environment)
        answer = ask(path, _question(arguments, environment)) if _trusted(folder) else None
    except (OSError, ValueError):
        return None
    if not answer or answer.get("code") != 0:
        return None
    return _print(answer["said"])


def place(environment: Mapping[str, str] = os.environ) -> str:
    """The folder of this user's sockets."""
    own = environment.get("XDG_RUNTIME_DIR")
    if own:
        return os.path.join(own, "spm")
    return os.path.join(environment.get("TMPDIR") or "/tmp", f"spm-{os.getuid()}")


def socket_of(store: str | None, environment: Mapping[str, str] = os.environ) -> str:
    """The socket of the process that is warm for a store, and for this very code and setting."""
    return os.path.join(place(environment), f"{identity(store, environment)}.sock")


def identity(store: str | None, environment: Mapping[str, str] = os.environ) -> str:
    """Everything that decides what a menu says, as one name: store, settings, interpreter, code."""
    import hashlib

    chosen = store or environment.get("SPM_STORE") or environment.get("NEO4J_URI") or ""
    if chosen and "://" not in chosen:
        chosen = os.path.realpath(os.path.expanduser(chosen))
    settings = [
        f"{name}={value}"
        for name, value in sorted(environment.items())
        if name in ("HOME", "OMP_NUM_THREADS") or name.startswith(("SPM_", "NEO4J_", "XDG_DATA"))
        if name != OFF
    ]
    settings.append(environment.get("OPENBLAS_NUM_THREADS", "1"))  # what the command line sets
    whole = "\0".join([str(FORMAT), sys.executable, sys.version, chosen, *settings, *_code()])
    return hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def ask(path: str, question: dict[str, Any]) -> dict[str, Any] | None:
    """Ask the process behind a socket; None when it is not there, is another's, or says nothing."""
    import json
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(CONNECT_SECONDS)
        line.connect(path)
        if not own(line):
            return None
        line.sendall(json.dumps(question).encode() + b"\n")
        line.settimeout(ANSWER_SECONDS)
        parts = []
        while part := line.recv(65_536):
            parts.append(part)
    text = b"".join(parts)
    if not text.endswith(b"\n"):
        return None  # it ended in between
    found = json.loads(text)
    return found if isinstance(found, dict) else None


def own(line: Any) -> bool:
    """Whether a process of the same user is at the other end, where the system can tell."""
    import socket
    import struct

    if not hasattr(socket, "SO_PEERCRED"):
        return True
    said = line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return bool(struct.unpack("3i", said)[1] == os.getuid())


def _trusted(folder: str) -> bool:
    """Whether nobody else could have put a socket there."""
    found = os.lstat(folder)
    return found.st_uid == os.getuid() and not found.st_mode & 0o077


def _store(arguments: Sequence[str]) -> str | None:
    """The store that is named; the process that answers looks again, and properly."""
    found = None
    for at, text in enumerate(arguments):
        if text == "--store":
            found = arguments[at + 1] if at + 1 < len(arguments) else None
        elif text.startswith("--store="):
            found = text.removeprefix("--store=")
    return found


def _question(arguments: Sequence[str], environment: Mapping[str, str]) -> dict[str, Any]:
    shown = {name: environment[name] for name in SHOWN if name in environment}
    if "COLUMNS" not in shown and (wide := _columns()):
        shown["COLUMNS"] = str(wide)
    return {
        "format": FORMAT,
        "arguments": list(arguments),
        "folder": os.getcwd(),
        "shown": shown,
        "streams": [
            [stream.isatty(), stream.encoding, stream.errors] for stream in (sys.stdout, sys.stderr)
        ],
    }


def _columns() -> int:
    """How wide the terminal is, found as rich finds it."""
    for number in range(3):
        try:
            return os.get_terminal_size(number).columns
        except OSError:
            continue
    return 0


def _code() -> Iterator[str]:
    """What tells another version of spm, or of what it is installed with, from this one."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for package in _PACKAGES:
        yield _newest(os.path.join(root, package))
    for folder in sys.path:
        if folder.endswith("-packages") and os.path.isdir(folder):
            yield str(os.stat(folder).st_mtime_ns)


def _newest(folder: str) -> str:
    count = newest = size = 0
    waiting = [folder]
    while waiting:
        for entry in os.scandir(waiting.pop()):
            if entry.name == "__pycache__":
                continue
            if entry.is_dir():
                waiting.append(entry.path)
                continue
            found = entry.stat()
            count, size, newest = count + 1, size + found.st_size, max(newest, found.st_mtime_ns)
    return f"{count} {size} {newest}"


def _print(said: list[list[Any]]) -> int:
    """Write what was said to both streams, in the order in which it was said."""
    try:
        for number, text in said:
            data = text.encode("latin-1")
            while data:
                data = data[os.write(number, data) :]
    except BrokenPipeError:
        return UNHEARD
    return 0
