"""Every command: JSON that is JSON, tables that fit, and answers that are right."""

import json
from typing import Any

import pytest

from spm.cli.main import COMMANDS, loaded
from spm.registry import demo

ALL = loaded()
RECEIPT = "messaging/send_email_receipt"
YAML = """\
spm: 1
service: mail
tools:
  - name: send_mail
    description: Send a mail.
    inputs: [{name: address}]
    outputs: [{name: message_id}]
"""


def tree(command=None, path=()):
    """All commands of the app as tuples of words; groups too."""
    paths = [path]
    for name, child in getattr(command or ALL, "commands", {}).items():
        paths += tree(child, (*path, name))
    return paths


def found(path: tuple[str, ...]) -> Any:
    """The command at a path of words."""
    command: Any = ALL
    for word in path:
        command = command.commands[word]
    return command


@pytest.fixture
def manifest_file(tmp_path):
    file = tmp_path / "mail.yaml"
    file.write_text(YAML)
    return file


# -- JSON --------------------------------------------------------------------------------------

READING = [
    ["menu", demo.REQUEST],
    ["menu", demo.REQUEST, "--format", "json"],
    ["tools", "list"],
    ["tools", "show", "lookup_order"],
    ["path", "lookup_order", "send_email_receipt"],
    ["path", "--have", "order_id", "--to", "lookup_order"],
    ["cypher", "MATCH p = (:Tool)-[:FEEDS*1..2]->(:Tool) RETURN p LIMIT 5"],
    ["cypher", "MATCH (t:Tool) RETURN t, t.id AS id ORDER BY id LIMIT 3"],
    ["cypher", "RETURN 0.0/0.0 AS nan, 1.0/0.0 AS inf, null AS nothing, 'ü' AS text"],
    ["cypher", "--saved", "effects"],
    ["cypher", "--list"],
    ["schema", "--counts"],
    ["doctor"],
]


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_json_is_all_there_is_on_stdout(in_shop, command):
    done = in_shop(*command, "--json")
    assert done.code == 0
    assert done.json
    assert "\x1b" not in done.out


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_what_is_not_json_fits_80_columns_without_colours(in_shop, command):
    done = in_shop(*command)
    assert done.code == 0
    assert done.out
    assert "\x1b" not in done.out + done.err
    if command[-1] != "json":
        # What stands above the first empty line is sentences, which the terminal wraps.
        table = done.out.partition("\n\n")[2] or done.out
        assert max(map(len, table.splitlines())) <= 80


def test_writing_commands_answer_in_json(spm, manifest_file, tmp_path):
    store = tmp_path / "store"
    done = spm("tools", "register", manifest_file, "--store", store, "--json")
    assert done.code == 0
    assert [(r["source"], r["service"], r["added"]) for r in done.json] == [
        (str(manifest_file), "mail", ["mail/send_mail"])
    ]
    traces = tmp_path / "t.jsonl"
    traces.write_text('{"request": "mail Ann", "steps": ["send_mail"]}\n')
    done = spm("traces", "import", traces, "--store", store, "--json")
    assert done.json == {
        "imported": 1, "known": 0, "skipped": 0, "steps": 1, "differing": 0, "dropped": 0,
    }  # fmt: skip
    done = spm("tools", "remove", "send_mail", "--force", "--store", store, "--json")
    assert done.json == {"removed": "mail/send_mail"}


def test_a_demo_that_is_loaded_again_changes_nothing(spm, shop_copy):
    done = spm("demo", "--store", shop_copy)
    assert done.code == 0
    assert "0 tools added, 0 trajectories imported; now 100 tools" in done.out
    assert f'Next: spm menu "{demo.REQUEST}"' in done.out
    assert spm("demo", "--store", shop_copy, "--json").json["tools"] == 100


def test_the_schema_is_json(spm):
    assert spm("tools", "schema").json["title"] == "spm manifest"


# -- menu --------------------------------------------------------------------------------------


def test_the_menu_shows_route_and_sources(in_shop):
    done = in_shop("menu", demo.REQUEST)
    first, second = done.out.splitlines()[:2]
    assert first.startswith("Route: lookup_order → ")
    assert first.endswith(" → send_email_receipt")
    assert second.startswith("Request fields: order_id; ")
    assert "order_id ← request" in done.out
    assert done.err == ""


def test_the_menu_as_names_is_one_name_a_line(in_shop):
    lines = in_shop("menu", demo.REQUEST, "--format", "names", "-k", 6).out.splitlines()
    assert len(lines) == 6
    assert lines[0] == "lookup_order"
    assert lines[3] == "send_email_receipt"


def test_the_same_menu_is_printed_twice(in_shop):
    assert in_shop("menu", demo.REQUEST, "--json") == in_shop("menu", demo.REQUEST, "--json")


def test_a_field_at_hand_shows_in_the_menu(in_shop):
    done = in_shop("menu", "send the receipt", "--state", "receiptId", "--json")
    assert done.json["state"] == ["receipt_id"]


def test_destructive_tools_are_marked(in_shop):
    assert "cancel_order (!)" in in_shop("menu", "cancel order 12").out


# -- path --------------------------------------------------------------------------------------


def test_a_path_shows_fields_and_observations(in_shop):
    done = in_shop("path", "lookup_order", "send_email_receipt")
    assert done.code == 0
    assert "By fields:" in done.out
    assert "Observed:" in done.out
    assert "-receipt_id→ messaging/send_email_receipt" in done.out


def test_a_path_of_a_query_is_a_line_and_a_short_record(in_shop):
    query = (
        "MATCH p = (:Tool {name: 'create_receipt'})-[:FEEDS]->(:Tool {name: 'send_email_receipt'})"
        "-[:REQUIRES]->(f:Field {name: 'receipt_id'}) RETURN p"
    )
    shown = " ".join(in_shop("cypher", query).out.split())
    assert "create_receipt -receipt_id→ send_email_receipt -REQUIRES→ receipt_id" in shown
    (row,) = in_shop("cypher", query, "--json").json
    assert row["p"]["nodes"][0] == {
        "label": "Tool",
        "id": "payments/create_receipt",
        "name": "create_receipt",
        "service": "payments",
    }
    first, second = row["p"]["edges"]
    assert (first["type"], first["fields"]) == ("FEEDS", ["receipt_id"])
    assert (first["from"], second["to"]) == ("payments/create_receipt", "receipt_id")
    assert "hash" not in in_shop("cypher", query, "--json").out


def test_a_path_is_walked_against_the_arrow_too(in_shop):
    query = "MATCH p = (:Field {name: 'receipt_id'})<-[:PRODUCES]-(:Tool) RETURN p LIMIT 1"
    assert "receipt_id ←PRODUCES- create_receipt" in in_shop("cypher", query).out


def test_a_plan_shows_who_supplies_what(in_shop):
    command = ["path", "--have", "order_id", "--to", "send_email_receipt"]
    assert "receipt_id is also made by payments/create_receipt" in in_shop(*command).err
    done = in_shop(*command, "--allow-writes")
    assert "order_id (given)" in done.out
    assert "receipt_id from payments/create_receipt" in " ".join(done.out.split())


def test_a_plan_that_must_ask_ends_with_1(in_shop):
    done = in_shop("path", "--to", "find_colleague")
    assert done.code == 1
    assert "colleague_name (ask)" in done.out
    assert "A user has to say: colleague_name." in done.err


def test_no_way_ends_with_1(in_shop):
    done = in_shop("path", "send_email_receipt", "book_meeting_room")
    assert done.code == 1
    assert done.out == ""
    assert "No way from 'send_email_receipt' to 'book_meeting_room'" in done.err
    assert in_shop("path", "send_email_receipt", "book_meeting_room", "--json").json == []


# -- cypher ------------------------------------------------------------------------------------


def test_saved_queries_are_listed_and_run(in_shop, shop):
    listed = in_shop("cypher", "--list", "--json").json
    values = {"field": "order_id", "tool": "list_customer_orders", "resource": "order"}
    values |= {"owner": "finance", "source": "nobody"}
    empty = {"unused_tools", "inferred", "unreachable_without"}
    assert len(listed) >= 15
    for query in listed:
        assert query["doc"]
        assert query["query"]
        params = [f"--param={name}={values[name]}" for name in query["params"]]
        done = in_shop("cypher", "--saved", query["name"], *params, "--json")
        assert done.code == 0, query["name"]
        assert all(list(row) == query["returns"] for row in done.json)
        assert done.json or query["name"] in empty, query["name"]


def test_a_name_that_the_graph_does_not_have_is_warned_about(in_shop):
    done = in_shop("cypher", "MATCH (t:Tool) RETURN t.nme LIMIT 1")
    assert done.code == 0
    assert "Warning: There is no property 'nme' of Tool" in done.err


def test_how_a_query_is_run_is_shown_and_nothing_is_written(in_shop):
    query = "MATCH (t:Tool)-[:FEEDS]->(:Tool) RETURN t.id"
    explained = in_shop("cypher", f"EXPLAIN {query}", "--json").json
    assert "Match" in explained[0]["operator"]
    profiled = in_shop("cypher", f"profile {query}", "--json").json
    assert profiled[-1]["rows"] > 0
    for hidden in ("CREATE (x:Tool)", "PROFILE CREATE (x:Tool)", "MATCH (t) DETACH DELETE t"):
        assert "is not for reading" in in_shop("cypher", f"EXPLAIN {hidden}").err


def test_a_saved_query_says_which_parameters_it_takes(in_shop):
    done = in_shop("cypher", "--saved", "feeds")
    assert done.code == 1
    assert done.err == "spm: The saved query 'feeds' takes --param tool=….\n"
    assert in_shop("cypher", "--saved", "effects", "--param", "x=1").code == 1


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("5", 5),
        ("-2.5", -2.5),
        ('"5"', "5"),
        ("text", "text"),
        ("a=b", "a=b"),
        ("", ""),
        ("[1, 2]", [1, 2]),
        ('{"a": [true, null]}', {"a": [True, None]}),
        ("null", None),
        ("{broken", "{broken"),
        ("[" * 10_000, "[" * 10_000),
    ],
)
def test_a_parameter_is_json_or_else_text(in_shop, value, read):
    done = in_shop("cypher", "RETURN $x AS x", "--param", f"x={value}", "--json")
    assert done.json == [{"x": read}]


@pytest.mark.parametrize("value", ["x", "=1", "1x=1", "a b=1"])
def test_a_parameter_without_a_name_is_wrong_usage(in_shop, value):
    done = in_shop("cypher", "RETURN 1 AS x", "--param", value)
    assert done.code == 2
    assert "NAME=VALUE" in done.err


@pytest.mark.parametrize(
    "query", ["CREATE (n)", "MATCH (n) DETACH DELETE n", "MATCH (n) SET n.x = 1", "CALL x.y()"]
)
def test_a_query_that_writes_is_refused(in_shop, query, shop):
    before = shop.status()
    done = in_shop("cypher", query)
    assert done.code == 1
    assert done.err.startswith("spm: ")
    assert shop.status() == before


def test_a_query_that_fails_says_why(in_shop):
    done = in_shop("cypher", "RETURN $missing AS x")
    assert done.code == 1
    assert "missing" in done.err


def test_many_rows_are_cut_and_said(in_shop):
    done = in_shop("cypher", "UNWIND range(1, 10001) AS i RETURN i", "--json")
    assert len(done.json) == 10_000
    assert "Only the first 10,000 rows are shown" in done.err


def test_no_rows_are_an_empty_list(in_shop):
    query = "MATCH (t:Tool {id: 'x'}) RETURN t.id AS id"
    assert in_shop("cypher", query, "--json").json == []
    assert in_shop("cypher", query).err == "0 rows\n"


# -- tools -------------------------------------------------------------------------------------


def test_registering_says_what_was_done(spm, manifest_file, tmp_path):
    store = tmp_path / "store"
    first = spm("tools", "register", manifest_file, "--store", store)
    assert first.out == f"{manifest_file}: 1 added, 0 changed, 0 unchanged (service mail)\n"
    again = spm("tools", "register", manifest_file, "--store", store)
    assert "0 added, 0 changed, 1 unchanged" in again.out


def test_a_mistake_in_the_last_manifest_costs_nothing(spm, manifest_file, tmp_path):
    broken = tmp_path / "broken.yaml"
    broken.write_text("spm: 1\n")
    store = tmp_path / "store"
    done = spm("tools", "register", manifest_file, broken, "--store", store)
    assert done.code == 1
    assert done.err.startswith(f"spm: {broken} is not valid:")
    assert not store.exists()


def test_listing_filters_and_counts(in_shop):
    done = in_shop("tools", "list", "--service", "orders")
    assert "orders/lookup_order" in done.out
    assert "payments/" not in done.out
    assert done.err == "11 tools\n"
    rows = in_shop("tools", "list", "--status", "deprecated", "--json").json
    assert "orders/find_order" in {row["id"] for row in rows}


def test_a_deprecated_tool_shows_its_successor(in_shop):
    assert "Use instead: orders/lookup_order" in in_shop("tools", "show", "find_order").out


def test_showing_a_tool_names_neighbours_and_versions(in_shop):
    done = in_shop("tools", "show", "lookup_order")
    assert done.out.startswith("orders/lookup_order  version 2.1.0  active, read\n")
    assert "orders/list_customer_orders" in done.out
    assert "version 2.1.0  " in done.out.splitlines()[-1]


def test_removing_a_tool_in_use_needs_force(spm, shop_copy):
    done = spm("tools", "remove", "lookup_order", "--store", shop_copy)
    assert done.code == 1
    assert done.err.endswith("spm tools remove orders/lookup_order --force\n")
    done = spm("tools", "remove", "lookup_order", "--force", "--store", shop_copy)
    assert (done.code, done.out) == (0, "Removed orders/lookup_order\n")


def test_importing_traces_says_what_was_skipped(spm, shop_copy, tmp_path):
    file = tmp_path / "t.jsonl"
    known, unknown = '["lookup_order"]', '["nobody"]'
    file.write_text("".join(f'{{"request": "new", "steps": {s}}}\n' for s in (known, unknown)))
    done = spm("traces", "import", file, "--store", shop_copy)
    assert done.code == 1
    assert "--skip-unknown" in done.err
    done = spm("traces", "import", file, "--skip-unknown", "--store", shop_copy)
    assert done.out == "1 trajectories imported, 0 already known, 1 skipped (unknown tools)\n"


# -- help --------------------------------------------------------------------------------------


def test_every_command_has_help(spm):
    for path in tree():
        words = " ".join(["spm", *path])
        long, short = spm(*path, "--help"), spm(*path, "-h")
        assert (long.code, long.err) == (0, ""), words
        assert f"Usage: {words} " in long.out
        assert max(map(len, long.out.splitlines())) <= 80, words
        assert short == long, words


def test_every_command_says_what_it_does_and_what_its_options_mean():
    for path in filter(None, tree()):
        command = found(path)
        assert command.help, path
        for parameter in command.params:
            if parameter.param_type_name == "option" and parameter.name != "help":
                assert parameter.help, (path, parameter.name)


def test_the_kept_help_of_every_command_is_the_first_paragraph_of_its_own():
    assert list(ALL.commands) == list(COMMANDS)
    for name, (_, kept) in COMMANDS.items():
        assert kept == " ".join(str(ALL.commands[name].help).partition("\n\n")[0].split()), name


def test_every_command_speaks_json():
    nothing_else = {("tools", "schema"), ("mcp",)}
    for path in tree():
        command = found(path)
        if not hasattr(command, "commands") and path not in nothing_else:
            assert "--json" in {o for p in command.params for o in p.opts}, path


def test_the_version_is_said(spm):
    from importlib.metadata import version

    assert spm("--version").out == f"spm {version('spm-registry')}\n"


def test_without_a_command_there_is_help(spm):
    done = spm()
    assert done.code == 2
    assert "Usage: spm" in done.out + done.err


def test_json_keeps_letters_as_they_are(in_shop):
    done = in_shop("cypher", "RETURN 'Größe ✓' AS x", "--json")
    assert "Größe ✓" in done.out
    assert json.loads(done.out) == [{"x": "Größe ✓"}]


def test_a_list_of_nothing_says_whether_there_are_tools_at_all(
    spm, shop_copy, tmp_path, monkeypatch
):
    none = spm("tools", "list", "--service", "nobody", "--store", shop_copy)
    assert (none.code, none.out) == (1, "")
    assert "spm tools list" in none.err
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    empty = spm("tools", "list")
    assert empty.code == 0
    assert "spm demo" in empty.err


@pytest.mark.parametrize("option", ["--report", "--backends"])
def test_a_file_that_is_not_there_is_told_before_anybody_is_served(
    spm, shop_copy, tmp_path, option
):
    there = ("--require-token", "--store", shop_copy)  # without a token it would not serve anyway
    done = spm("serve", option, tmp_path / "none.x", *there)
    assert done.code == 1
    assert "none.x" in done.err
