"""A warm process for the terminal: the same bytes, or none at all."""

import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from spm.service.terminal import ask, identity, place, socket_of

REQUEST = "Email the customer the receipt for order 4821"


@pytest.fixture
def runtime(tmp_path, monkeypatch):
    """A runtime folder of this test alone; its path must fit into a socket's."""
    folder = Path("/tmp") / f"spm-test-{os.getpid()}-{time.monotonic_ns() % 10**9}"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    yield folder
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()


@pytest.fixture
def warm(runtime, shop_copy, shell):
    """A warm process of a copy of the demo, and the answer that it gave when it came up."""
    done = shell("serve", "--daemon", "--store", shop_copy, "--idle", 5, "--json")
    assert done.code == 0, done.err
    yield done.json
    shell("serve", "--daemon", "--stop", "--store", shop_copy)


def count(store: Path) -> int:
    found = ask(socket_of(str(store)), {"status": True})
    assert found is not None
    return int(found["answered"])


def test_every_format_has_the_same_bytes_and_notes_as_without(warm, shop_copy, shell):
    ways = [
        [], ["--json"], ["--format", "markdown"], ["--format", "openai"], ["--explain"],
        ["--state", "custmer_id", "--as", "support"], ["--why-not", "issue_store_credit"],
    ]  # fmt: skip
    for number, way in enumerate(ways, 1):
        asked = ("menu", REQUEST, "--store", shop_copy, *way)
        quick, plain = shell(*asked), shell(*asked, SPM_DAEMON="0")
        assert (quick.code, quick.out, quick.err) == (plain.code, plain.out, plain.err)
        assert count(shop_copy) == number
    asked = ("menu", REQUEST, "--store", shop_copy)
    narrow = shell(*asked, COLUMNS="60")
    assert narrow.out == shell(*asked, COLUMNS="60", SPM_DAEMON="0").out
    assert narrow.out != shell(*asked).out


def test_what_was_written_meanwhile_is_in_the_next_answer(warm, shop_copy, shell):
    asked = ("menu", REQUEST, "--store", shop_copy, "--format", "names")
    before = shell(*asked).out
    assert "send_email_receipt" in before
    assert shell("tools", "deprecate", "send_email_receipt", "--store", shop_copy).code == 0
    after = shell(*asked)
    assert "send_email_receipt" not in after.out
    assert after.out == shell(*asked, SPM_DAEMON="0").out
    assert count(shop_copy) == 2


def test_errors_are_told_by_the_process_that_was_asked(warm, shop_copy, shell):
    asked = ("menu", REQUEST, "--store", shop_copy, "--done", "no_such_tool")
    quick, plain = shell(*asked), shell(*asked, SPM_DAEMON="0")
    assert quick.code == 1
    assert (quick.code, quick.out, quick.err) == (plain.code, plain.out, plain.err)
    assert count(shop_copy) == 0


def test_files_are_written_by_the_process_that_was_asked(warm, shop_copy, shell, tmp_path):
    lock = tmp_path / "menu.lock"
    assert shell("menu", REQUEST, "--store", shop_copy, "--lock", lock).code == 0
    assert lock.exists()
    assert count(shop_copy) == 0


def test_it_is_its_users_alone_says_what_it_is_and_starts_once(warm, shop_copy, shell):
    path = Path(socket_of(str(shop_copy)))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    again = shell("serve", "--daemon", "--store", shop_copy, "--json")
    assert again.json["pid"] == warm["pid"]
    shown = shell("serve", "--daemon", "--status", "--store", shop_copy)
    assert (shown.code, shown.out) == (0, f"Warm: process {warm['pid']}, 0 menus so far.\n")
    ended = shell("serve", "--daemon", "--stop", "--store", shop_copy)
    assert ended.out.startswith(f"Ended: process {warm['pid']}")
    deadline = time.monotonic() + 10
    while path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not path.exists()
    assert shell("serve", "--daemon", "--status", "--store", shop_copy).code == 1


def test_one_that_was_killed_leaves_a_socket_that_nobody_minds(warm, shop_copy, shell):
    os.kill(warm["pid"], 9)
    path = Path(socket_of(str(shop_copy)))
    assert path.exists()
    assert shell("menu", REQUEST, "--store", shop_copy).code == 0
    again = shell("serve", "--daemon", "--store", shop_copy, "--idle", 5, "--json")
    assert again.json["pid"] != warm["pid"]
    assert shell("menu", REQUEST, "--store", shop_copy).code == 0
    assert count(shop_copy) == 1


def test_it_ends_when_nobody_asks(runtime, shop_copy, shell):
    done = shell("serve", "--daemon", "--store", shop_copy, "--idle", "0.01")
    assert done.code == 0, done.err
    path = Path(socket_of(str(shop_copy)))
    deadline = time.monotonic() + 20
    while path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not path.exists()


@pytest.mark.parametrize("said", [b"", b"{", b"[]\n", b'{"code": 0, "said"', b"\xff\xfe\n"])
def test_an_answer_that_is_none_is_as_if_nobody_was_there(runtime, shop_copy, shell, said):
    path = socket_of(str(shop_copy))
    Path(path).parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(path)
        listening.listen()

        def speak() -> None:
            line, _ = listening.accept()
            with line:
                line.recv(65_536)
                line.sendall(said)

        speaker = threading.Thread(target=speak)
        speaker.start()
        done = shell("menu", REQUEST, "--store", shop_copy, "--format", "names")
        speaker.join()
    assert done.code == 0
    assert "send_email_receipt" in done.out
    assert done.err == ""


def test_a_folder_that_others_could_write_into_is_not_trusted(warm, shop_copy, shell):
    os.chmod(place(), 0o777)
    assert shell("menu", REQUEST, "--store", shop_copy).code == 0
    assert count(shop_copy) == 0
    refused = shell("serve", "--daemon", "--store", shop_copy, SPM_MODEL="")
    os.chmod(place(), 0o700)
    assert refused.code == 1
    assert "is not yours alone" in refused.err


def test_another_store_setting_or_code_is_another_process(monkeypatch, tmp_path):
    own = identity("a")
    assert identity("a", {**os.environ, "TERM": "dumb", "SPM_DAEMON": "1"}) == own
    assert identity(str(Path("a").resolve())) == own
    assert identity("b") != own
    assert identity("a", {**os.environ, "SPM_MODEL": "x"}) != own
    assert identity("a", {**os.environ, "NEO4J_PASSWORD": "x"}) != own
    from spm.service import terminal

    monkeypatch.setattr(terminal, "_code", lambda: iter(["another version"]))
    assert identity("a") != own


def test_asking_loads_next_to_nothing(warm, shop_copy):
    program = (
        "import json, sys; from spm.service.terminal import answered\n"
        f"code = answered(['menu', {REQUEST!r}, '--store', {str(shop_copy)!r}])\n"
        "print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    assert "send_email_receipt" in done.stdout
    assert not {"typer", "numpy", "rich", "kglite", "pydantic", "subprocess"} & set(modules)
    own = {name for name in modules if name.startswith("spm.")}
    assert own == {"spm.service", "spm.service.terminal"}


def test_wrong_usage_is_said(spm):
    assert spm("serve", "--stop").code == 2
    assert spm("serve", "--daemon", "--stop", "--status").code == 2
