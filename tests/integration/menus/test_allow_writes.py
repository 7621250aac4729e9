"""Tools that write make inputs of others where whoever asks allows it, on both engines."""

import pytest

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.menus.diff import compare
from spm.registry.menus.frozen import freeze
from spm.registry.menus.golden import read_golden
from spm.registry.menus.golden_replay import replay
from spm.registry.menus.lockfile import lock, read_lock
from spm.registry.menus.menu import Ask
from spm.registry.models import Manifest
from spm.registry.registry import Registry
from spm.registry.settings import Settings
from spm.service.mcp.answers import build_menu, explain_menu
from spm.service.mcp.question_models import ExplainQuestion
from spm.service.routes.menus import MenuQuestion

TOOLS = [
    {
        "name": "create_export",
        "description": "Start an export of orders.",
        "effects": "write",
        "outputs": [{"name": "export_id"}],
    },
    {
        "name": "download_export",
        "description": "Download a finished export as CSV.",
        "inputs": [{"name": "export_id"}],
        "outputs": [{"name": "csv"}],
    },
    {
        "name": "wipe_disk",
        "description": "Wipe a disk, which frees its slot.",
        "effects": "destructive",
        "outputs": [{"name": "slot_id"}],
    },
    {
        "name": "show_slot",
        "description": "Show a slot of the rack.",
        "inputs": [{"name": "slot_id"}],
    },
]
ASKED = "Download the export as CSV"
MADE = ["ops/create_export", "ops/download_export"]
FLAG = "--allow-writes"


@pytest.fixture(scope="module", params=["embedded", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def ops(request, tmp_path_factory, encoder):
    place = Settings(str(tmp_path_factory.mktemp("ops") / "store"))
    if request.param == "neo4j":
        server = request.getfixturevalue("neo4j_server")
        request.getfixturevalue("empty")(server)
        place = server.settings()
    with Registry.open(place) as registry:
        registry.register(Manifest.model_validate({"spm": 1, "service": "ops", "tools": TOOLS}))
        registry.encode(encoder)
        yield registry


def flagged(menu):
    return [note for note in menu.notes if FLAG in note]


def test_without_the_flag_a_menu_says_what_it_lacks(ops):
    menu = ops.menu(ASKED)
    assert "ops/create_export" not in menu.route
    assert len(flagged(menu)) == 1
    assert flagged(menu)[0].startswith("export_id is made by ops/create_export")


def test_with_the_flag_what_writes_comes_before_what_needs_it(ops):
    menu = ops.menu(ASKED, allow_writes=True)
    assert menu.route == MADE
    assert flagged(menu) == []
    assert menu.items[1].needs == {"export_id": ["ops/create_export"]}


def test_whoever_may_only_read_never_has_them(ops):
    reader = Caller(read_only=True)
    for allow in (False, True):
        menu = ops.menu(ASKED, caller=reader, allow_writes=allow)
        assert {item.effects for item in menu.items} == {"read"}
        assert flagged(menu) == []
    ask = Ask(ASKED, caller=reader)
    assert FLAG not in ops.why_not(ask, "create_export").admitted_by


def test_what_cannot_be_undone_needs_a_verb_of_its_kind(ops):
    menu = ops.menu("Show the slot", allow_writes=True)
    assert "ops/wipe_disk" not in menu.route
    assert flagged(ops.menu("Show the slot")) == []


def test_why_not_names_the_flag_for_the_menu_and_for_the_route(ops):
    backup = ops.why_not(Ask(ASKED), "create_export")
    assert (backup.rank, backup.reasons, backup.admitted_by) == (2, [], [FLAG])
    behind = ops.why_not(Ask(ASKED, size=1), "create_export")
    assert behind.reasons
    assert FLAG in behind.admitted_by
    assert ops.why_not(Ask(ASKED, allow_writes=True), "create_export").admitted_by == []


def test_mcp_has_the_option(ops):
    question = MenuQuestion(request=ASKED, allow_writes=True)
    assert build_menu(ops, EVERYTHING, question).structured["route"] == MADE
    asked = ExplainQuestion(request=ASKED, tool="create_export")
    assert explain_menu(ops, EVERYTHING, asked).text.endswith(f"On the route by: {FLAG}.")


def test_a_lock_keeps_the_flag(ops, tmp_path):
    ask = Ask(ASKED, allow_writes=True)
    file = tmp_path / "export.lock"
    file.write_text(lock(ops.store, ask, ops.answer(ask)).text())
    again = read_lock(file).ask.ask()
    assert again == ask
    new = lock(ops.store, again, ops.answer(again))
    assert compare(ops.store, read_lock(file), new, lambda tool: ops.why_not(again, tool)).same


def test_a_frozen_menu_holds_the_route_that_the_flag_allowed(ops):
    ask = ops.resolved(Ask(ASKED, allow_writes=True))
    assert list(freeze(ops.store, ask, ops.answer(ask)).menu.route) == MADE


def test_golden_requests_carry_the_flag(ops, tmp_path):
    file = tmp_path / "golden.jsonl"
    said = '"request": "Download the export as CSV", "path": ["create_export", "download_export"]'
    file.write_text(f'{{{said}, "allow_writes": true}}\n{{{said}}}\n')
    allowed, plain = replay(ops, list(read_golden(file)), size=8, prefix=8)
    assert allowed.order == 1.0
    assert plain.order != 1.0
    assert allowed.key != plain.key
