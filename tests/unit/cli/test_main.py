"""How spm behaves when something is wrong: exit codes, streams, one line, a next step."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from spm.cli.main import simple_menu
from spm.registry.models import Manifest
from spm.registry.registry import Registry

MARKUP = "[bold red]click[/bold red] [link=http://evil]here[/link]"


def one_line(done, code, text):
    """The error is one line on stderr, with a next step; stdout is empty."""
    assert done.code == code
    assert done.out == ""
    assert done.err.startswith("spm: ")
    assert done.err.count("\n") == 1
    assert text in done.err
    assert "Traceback" not in done.err


# -- exit codes --------------------------------------------------------------------------------


def test_an_unknown_tool_is_one_line_with_the_nearest(in_shop):
    one_line(in_shop("tools", "show", "lokup_order"), 1, "Nearest: 'orders/lookup_order'")


def test_an_unknown_field_is_one_line_with_the_nearest(in_shop):
    one_line(in_shop("path", "--have", "ordr_id", "--to", "lookup_order"), 1, "'order_id'")


def test_an_empty_request_is_refused(in_shop):
    one_line(in_shop("menu", " "), 1, "Say what the agent should do")


def test_a_missing_file_is_named(spm, tmp_path):
    one_line(spm("tools", "register", tmp_path / "no.yaml"), 1, "Cannot read")
    one_line(spm("traces", "import", tmp_path / "no.jsonl"), 1, "Cannot read")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["menu"],
        ["menu", "x", "-k", "0"],
        ["menu", "x", "--prefix", "-1"],
        ["menu", "x", "--format", "xml"],
        ["menu", "x", "--nothing"],
        ["tools"],
        ["tools", "show"],
        ["path"],
        ["path", "a"],
        ["path", "a", "b", "--to", "c"],
        ["path", "--have", "x"],
        ["cypher"],
        ["cypher", "RETURN 1", "--saved", "feeds"],
        ["cypher", "--saved", "nothing"],
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2(spm, arguments):
    done = spm(*arguments)
    assert done.code == 2
    assert "Usage: spm" in done.out + done.err
    if arguments != ["tools"]:
        assert done.out == ""


@pytest.mark.parametrize(
    "command", [["tools", "list"], ["menu", "x"], ["demo"], ["doctor"], ["cypher", "RETURN 1"]]
)
def test_a_store_path_that_is_a_file_ends_with_3(spm, tmp_path, command):
    file = tmp_path / "file"
    file.write_text("not a store")
    one_line(spm(*command, "--store", file), 3, "file")
    assert file.read_text() == "not a store"


def test_a_folder_that_cannot_be_made_ends_with_3(spm, manifest_file):
    done = spm("tools", "register", manifest_file, "--store", "/proc/nothing/store")
    one_line(done, 3, "/proc/nothing")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_ends_with_3(spm, manifest_file, tmp_path):
    tmp_path.chmod(0o500)
    one_line(spm("tools", "register", manifest_file, "--store", tmp_path / "s"), 3, "Permission")
    tmp_path.chmod(0o700)


@pytest.fixture
def manifest_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("manifests") / "m.yaml"
    file.write_text("spm: 1\nservice: s\ntools: [{name: a}]\n")
    return file


@pytest.mark.parametrize("address", ["http://localhost:7474", "postgres://x", "file:///tmp"])
def test_an_address_that_is_not_neo4js_is_refused(spm, address):
    one_line(spm("tools", "list", "--store", address), 1, "neither a path nor an address")


def test_nobody_at_the_address_ends_with_3(spm):
    one_line(spm("tools", "list", "--store", "bolt://127.0.0.1:9"), 3, "127.0.0.1:9")


def test_a_home_that_does_not_exist_is_refused(spm):
    one_line(spm("tools", "list", "--store", "~nobody-of-that-name/x"), 1, "no home folder")


def test_ctrl_c_ends_with_130(spm, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Registry, "open", interrupted)
    done = spm("tools", "list")
    assert (done.code, done.out, done.err) == (130, "", "spm: interrupted.\n")


@pytest.mark.parametrize(
    "arguments",
    [["tools", "lint", "--count", "100"], ["tools", "list"], ["cypher", "--json"], ["export", "-"]],
    ids=" ".join,
)
def test_a_reader_that_has_enough_ends_quietly(demo_folder, arguments):
    if "cypher" in arguments:
        arguments = [*arguments, "MATCH (t:Tool), (u:Tool) RETURN t.id AS t, u.id AS u"]
    program = [sys.executable, "-m", "spm.cli", *arguments, "--store", str(demo_folder)]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    process.stdout.close()  # before anything is written
    assert process.stderr
    said = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait() == 141
    assert "Traceback" not in said
    assert "Broken" not in said


def test_debug_shows_the_traceback(shell, demo_folder):
    done = shell("--debug", "tools", "show", "x", "--store", demo_folder)
    assert done.code == 1
    assert "Traceback" in done.err
    assert "UnknownTool" in done.err


# -- nothing there yet -------------------------------------------------------------------------


def test_an_empty_store_of_the_user_offers_the_demo_and_is_not_created(spm, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "nothing"))
    done = spm("tools", "list")
    assert (done.code, done.out) == (0, "")
    assert "spm demo" in done.err
    done = spm("menu", "x")
    assert (done.code, done.out) == (1, "")
    assert done.err == "The registry is empty. Load the demo with: spm demo\n"
    assert spm("menu", "x", "--json").json["items"] == []
    assert spm("tools", "list", "--json").json == []
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize(
    "command",
    [
        ["menu", "x"],
        ["menu", "x", "--json"],
        ["tools", "list"],
        ["tools", "show", "x"],
        ["path", "--to", "x"],
        ["cypher", "MATCH (t:Tool) RETURN t"],
        ["atlas"],
        ["impact", "x"],
        ["fields", "list"],
        ["traces", "stats"],
        ["menus", "list"],
        ["tokens", "list"],
        ["export", "copy.spm"],
    ],
    ids=" ".join,
)
def test_commands_that_read_say_that_no_registry_is_at_a_place(spm, tmp_path, command):
    store = tmp_path / "no where"
    done = spm(*command, "--store", store)
    one_line(done, 3, f"No registry at {str(store)!r}")
    assert f"spm tools register SOURCE --store '{store}'" in done.err
    assert not store.exists()


def test_commands_that_write_make_a_registry(spm, tmp_path):
    store = tmp_path / "new"
    assert spm("tokens", "create", "bot", "--store", store).code == 0
    assert spm("tokens", "list", "--store", store).code == 0


@pytest.mark.parametrize("more", [[], ["--json"], ["--repair"]], ids=str)
@pytest.mark.parametrize("made", [False, True])
def test_the_doctor_says_that_no_store_is_at_a_place(spm, tmp_path, monkeypatch, more, made):
    store = tmp_path / "no where"
    if made:
        store.mkdir()
        (store / "notes.txt").write_text("not a store")
    done = spm("doctor", "--store", store, *more)
    one_line(done, 3, f"No registry at {str(store)!r}")
    assert f"spm demo --store '{store}'" in done.err
    monkeypatch.setenv("SPM_STORE", str(store))
    assert spm("doctor", *more).code == 3
    assert [p.name for p in tmp_path.rglob("*")] == ["no where", "notes.txt"] * made


def test_the_users_own_store_may_wait_for_its_first_tool(spm, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    for more in ([], ["--repair"]):
        done = spm("doctor", *more)
        assert done.code == 0
        assert "spm demo" in done.out
    found = spm("doctor", "--json").json
    assert (found["tools"], found["done"]) == (0, [])
    assert list(tmp_path.iterdir()) == []


def test_without_an_option_the_store_is_in_the_users_data(
    spm, tmp_path, monkeypatch, manifest_file
):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert spm("tools", "register", manifest_file).code == 0
    assert (tmp_path / "spm" / "registry" / "journal.spm").is_file()


def test_the_environment_names_the_store(spm, demo_folder, monkeypatch):
    monkeypatch.setenv("SPM_STORE", str(demo_folder))
    assert len(spm("tools", "list", "--json").json) == 100


# -- streams and colours -----------------------------------------------------------------------


def test_no_colours_when_stdout_is_no_terminal(shell, demo_folder):
    for arguments in (["tools", "list", "--store", demo_folder], ["tools", "show"]):
        done = shell(*arguments, TERM="xterm-256color")
        assert done.code in (0, 2)
        assert done.out or done.err
        assert "\x1b" not in done.out + done.err


def test_no_color_is_heeded_in_a_terminal(demo_folder):
    command = f"spm tools list --store {demo_folder} --service orders"
    with_colours = in_terminal(command, {})
    without = in_terminal(command, {"NO_COLOR": "1"})
    assert "lookup_order" in with_colours
    assert "lookup_order" in without
    coloured = [code for code in ("\x1b[3", "\x1b[9") if code in without]
    assert not coloured


def in_terminal(command, environment):
    """Run a command in a pseudo-terminal and return what it printed."""
    import pty
    import subprocess
    import sys

    program = [sys.executable, "-m", "spm.cli", *command.split()[1:]]
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        program,
        stdout=follower,
        stderr=follower,
        env={**os.environ, "TERM": "xterm", **environment},
    )
    os.close(follower)
    said = b""
    try:
        while chunk := os.read(leader, 65536):
            said += chunk
    except OSError:  # the other end was closed
        pass
    os.close(leader)
    assert process.wait() == 0
    return said.decode()


def test_a_reader_that_stops_early_makes_no_noise(demo_folder):
    import subprocess
    import sys

    command = f"{sys.executable} -m spm.cli tools list --json --store {demo_folder} | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True)
    assert done.stdout == b"["
    assert done.stderr == b""


def test_an_argument_in_a_wrong_encoding_is_no_accident(spm, demo_folder):
    half = os.fsdecode(b"receipt \xff")
    done = spm("menu", half, "--json", "--store", demo_folder)
    assert done.code == 0
    assert done.json["request"] == half
    assert spm("menu", half, "--store", demo_folder).code == 0
    one_line(spm("tools", "show", half, "--store", demo_folder), 1, "No tool named")


def test_json_is_ascii_where_stdout_is(shell, demo_folder):
    arguments = ["cypher", "RETURN 'Größe ✓' AS x", "--json", "--store", demo_folder]
    done = shell(*arguments, PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert done.out.isascii()
    assert done.json == [{"x": "Größe ✓"}]


# -- what tools say of themselves --------------------------------------------------------------


@pytest.fixture
def hostile(tmp_path):
    """A store whose texts try to steer the terminal; control characters came in by a back door."""
    folder = tmp_path / "hostile"
    with Registry.open(str(folder)) as registry:
        tool = {"name": "a_[red]tool[/red]", "description": MARKUP, "family": "[x]"}
        registry.register(Manifest.model_validate({"spm": 1, "service": "s", "tools": [tool]}))
        registry.store.write("test", _paint)
    return folder


def _paint(tx):
    row = {
        "id": "s/painted",
        "name": "painted",
        "key": "painted",
        "title": "\x1b[2Jt",
        "description": "\x1b[31mred\x1b[0m\x07 \u202egnp.exe\r\nnext",
        "search_parts": ["painted"],
        "version": "1\x1b[5m",
        "content_hash": "0" * 64,
        "service": "s",
        "family": "",
        "status": "active",
        "successor": "\x1b[41m",
        "owner": "\x9b31m",
        "visibility": "public",
        "scopes": ["\x1b]0;title\x07"],
        "effects": "read",
    }
    tx.run("tools/upsert", rows=[row], at="2026-01-01T00:00:00Z")
    return {"done": True}


def test_markup_in_texts_is_shown_as_it_is(spm, hostile):
    done = spm("menu", "click here", "--store", hostile)
    assert done.code == 0
    assert "a_[red]tool[/red]" in done.out.partition("\n\n")[2]  # in the table
    assert "s/a_[red]tool[/red]" in spm("tools", "list", "--store", hostile).out
    shown = spm("tools", "show", "s/a_[red]tool[/red]", "--store", hostile)
    assert MARKUP in shown.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["menu", "painted"],
        ["menu", "painted", "--format", "names"],
        ["menu", "painted", "--json"],
        ["tools", "list"],
        ["tools", "show", "painted"],
        ["tools", "show", "painted", "--json"],
        ["cypher", "MATCH (t:Tool) RETURN t.description AS d, t AS t"],
        ["cypher", "RETURN '\x1b[31m' AS x"],
    ],
    ids=lambda arguments: ascii(" ".join(arguments)),
)
def test_no_text_steers_the_terminal(spm, hostile, arguments):
    done = spm(*arguments, "--store", hostile)
    for character in "\x1b\x07\x9b\u202e\r":
        assert character not in done.out + done.err
    assert done.code in (0, 1)
    if "--json" in arguments:
        assert "\u202e" in json.dumps(done.json, ensure_ascii=False)  # escaped, not lost


def test_unknown_keys_of_a_manifest_do_not_steer_the_terminal(spm, tmp_path):
    file = tmp_path / "m.json"
    file.write_text('{"spm": 1, "service": "s", "tools": [{"name": "a", "\\u001b[31mx": 1}]}')
    done = spm("tools", "register", file)
    assert done.code == 1
    assert "\x1b" not in done.err
    assert "tools[0].'\\x1b[31mx': unknown key" in done.err


def test_wide_tables_stay_within_80_columns(spm, hostile):
    with Registry.open(str(hostile)) as registry:
        long = {"name": "n" * 200, "description": "wide 漢字 " * 50}
        registry.register(Manifest.model_validate({"spm": 1, "service": "t", "tools": [long]}))
    for arguments in (["tools", "list"], ["menu", "wide"], ["cypher", "MATCH (t:Tool) RETURN t"]):
        done = spm(*arguments, "--store", hostile)
        from rich.cells import cell_len

        lines = [x for x in done.out.splitlines() if not x.startswith("Route:")]
        assert max(map(cell_len, lines)) <= 80, arguments


# -- doctor ------------------------------------------------------------------------------------


def test_the_doctor_finds_damage_and_mends_it(spm, shop_copy):
    assert spm("doctor", "--store", shop_copy).code == 0
    graph = shop_copy / "graph.spm"
    raw = bytearray(graph.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    graph.write_bytes(raw)
    done = spm("doctor", "--store", shop_copy)
    assert done.code == 1
    assert "WRONG" in done.out
    assert done.err == "Mend with: spm doctor --repair\n"
    found = spm("doctor", "--store", shop_copy, "--json").json
    assert [f["name"] for f in found["findings"] if not f["ok"]] == ["graph file"]
    one_line(spm("tools", "list", "--store", shop_copy), 3, "spm doctor --repair")
    mended = spm("doctor", "--repair", "--store", shop_copy)
    assert mended.code == 0
    assert "WRONG" not in mended.out
    assert len(spm("tools", "list", "--store", shop_copy, "--json").json) == 100


def test_the_doctor_says_where_the_registry_is(in_shop, demo_folder):
    found = in_shop("doctor", "--json").json
    assert found["store"] == str(demo_folder)
    assert found["tools"] == 100
    assert found["done"] == []
    assert {f["name"] for f in found["findings"]} >= {"journal", "graph file", "vectors"}


def test_lost_vectors_are_made_again_by_the_next_command(spm, shop_copy, tmp_path):
    with Registry.open(str(tmp_path / "small")) as registry:
        tool = {"name": "send_mail", "description": "Send a mail."}
        registry.register(Manifest.model_validate({"spm": 1, "service": "s", "tools": [tool]}))
    done = spm("menu", "send a mail", "--store", tmp_path / "small", "--format", "names")
    assert done.out == "send_mail\n"


# -- completion --------------------------------------------------------------------------------


def complete(shell, words, **environment):
    done = shell(
        _SPM_COMPLETE="complete_bash",
        COMP_WORDS=" ".join(words),
        COMP_CWORD=str(len(words) - 1),
        **environment,
    )
    return done.out.split()


def test_the_shell_is_offered_tools_and_saved_queries(shell, demo_folder):
    store = {"SPM_STORE": str(demo_folder)}
    assert complete(shell, ["spm", "tools", "show", "lookup_o"], **store) == ["lookup_order"]
    assert complete(shell, ["spm", "cypher", "--saved", "unused"]) == ["unused_by", "unused_tools"]


def test_a_store_that_cannot_be_read_offers_nothing(shell, tmp_path):
    (tmp_path / "file").touch()
    offered = complete(shell, ["spm", "tools", "show", "look"], SPM_STORE=str(tmp_path / "file"))
    assert offered == []


def test_spm_is_a_program(demo_folder):
    import subprocess

    program = shutil.which("spm", path=os.path.dirname(__import__("sys").executable))
    assert program, "the script spm is not installed beside python"
    done = subprocess.run(
        [program, "tools", "list", "--store", str(demo_folder)], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert "orders/lookup_order" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["menu", "pay it"], ("pay it", None)),
        (["menu", "pay it", "--store", "here"], ("pay it", "here")),
        (["menu", "--store", "here", "pay it"], ("pay it", "here")),
        (["menu", "--store", "here"], None),
        (["menu", "-h"], None),
        (["menu", "pay it", "--json"], None),
        (["menu", "pay it", "--store"], None),
        (["menu", "pay it", "--store", "--json"], None),
        (["menu", "pay it", "again"], None),
        (["menu", ""], None),
        (["menu", "half a character \udce4"], None),
        (["menu"], None),
        (["tools", "list"], None),
    ],
)
def test_the_plainest_menu_is_read_without_typer(arguments, said):
    assert simple_menu(arguments) == said


def test_the_plainest_menu_prints_what_typer_prints(in_shop, monkeypatch):
    for request, code in (("Email the customer the receipt for order 4821", 0), (" ", 1)):
        direct = in_shop("menu", request)
        assert direct.code == code
        with monkeypatch.context() as patch:
            patch.setattr("spm.cli.main.simple_menu", lambda _: None)
            assert in_shop("menu", request) == direct


def test_an_interrupted_menu_says_so(spm, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("spm.cli.commands.menus.menu.opened", stop)
    for read in (simple_menu, lambda _: None):
        monkeypatch.setattr("spm.cli.main.simple_menu", read)
        done = spm("menu", "pay it")
        assert (done.code, done.out, done.err) == (130, "", "spm: interrupted.\n")
