"""Frozen menus over MCP: listed in order, checked at every call, forwarded to real backends."""

import json
import sys
from pathlib import Path

import anyio
import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult

from spm.registry.access.caller import Caller
from spm.registry.calling.backends import Backends
from spm.registry.calling.observations import LONGEST
from spm.registry.importers.mcp import read_mcp_server
from spm.registry.menus import frozen
from spm.registry.registry import Registry
from tests.support.backed import REQUEST, TOOLS, YES, accept

# -- listing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_it_lists_exactly_the_menu_in_order_with_ranks(backed, mode):
    async def look(client):
        return client.protocol_version, await client.list_tools()

    version, found = backed.talk(look, mode=mode)
    assert version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]
    assert [tool.name for tool in found.tools] == [tool.partition("/")[2] for tool in TOOLS]
    assert [tool.meta["spm/rank"] for tool in found.tools] == [1, 2, 3, 4, 5, 6]
    assert found.meta["spm/route"] == "getOrder → find_payment → refund_payment"
    assert found.meta["spm/withdrawn"] == 0
    assert found.tools[2].annotations.destructive_hint
    assert found.tools[0].output_schema is None  # an API promises nothing
    assert found.tools[1].output_schema


def test_another_team_finds_nothing_and_calls_nothing(backed):
    async def look(client):
        return await client.list_tools()

    assert backed.talk(look, caller=Caller("b")).tools == []
    found, said = backed.call("find_payment", {"order_id": "7"}, caller=Caller("b"))
    assert found.is_error
    assert said["error"] == "missing tool"
    assert backed.reached() == []


# -- forwarding ---------------------------------------------------------------------------------


def test_a_call_reaches_the_mcp_server(backed):
    found, _ = backed.call("find_payment", {"order_id": "7"})
    assert not found.is_error
    assert found.structured_content == {"payment_id": "pay-7"}
    assert backed.reached() == [{"tool": "find_payment", "order_id": "7"}]


def test_a_call_reaches_the_api_below_its_address_with_the_operators_credential(backed):
    arguments = {"order_id": "7/../8?x", "expand": ["a", "b c"], "X-Trace": "t"}
    found, _ = backed.call("getOrder", arguments)
    assert not found.is_error
    assert found.structured_content["order_id"] == "o1"
    (asked,) = backed.api.requests
    assert asked["method"] == "GET"
    assert asked["path"] == "/v1/orders/7%2F..%2F8%3Fx?expand=a&expand=b+c"
    assert asked["headers"]["authorization"] == "Bearer k-secret"
    assert asked["headers"]["x-trace"] == "t"


@pytest.mark.parametrize("value", ["..", ".", ""])
def test_a_value_cannot_leave_its_path(backed, value):
    found, said = backed.call("getOrder", {"order_id": value})
    assert found.is_error
    assert said["error"] == "invalid arguments"
    assert backed.api.requests == []


def test_redirects_are_not_followed(backed):
    backed.api.replies["/v1/orders/7"] = (302, f"{backed.api.url}/elsewhere".encode())
    found, said = backed.call("getOrder", {"order_id": "7"})
    assert found.is_error
    assert "302" in said["message"]
    assert len(backed.api.requests) == 1


@pytest.mark.parametrize(
    ("name", "arguments", "error", "says"),
    [
        ("nothing", {}, "missing tool", "nothing"),
        ("pay/find_payment", {"order_id": "7"}, "missing tool", "menu has no tool"),
        ("find_payment", {}, "invalid arguments", "'order_id' is required"),
        ("find_payment", {"order_id": 7}, "invalid arguments", "must be string"),
        ("broken_payment", {"payment_id": "p"}, "exception", "ledger is closed"),
        ("silent_payment", {"payment_id": "p"}, "empty response", "empty"),
        ("dying_payment", {"payment_id": "p"}, "exception", ""),
    ],
)
def test_what_goes_wrong_is_a_standard_observation(backed, name, arguments, error, says):
    found, said = backed.call(name, arguments)
    assert found.is_error
    assert said["error"] == error
    assert says in said["message"]


@pytest.mark.parametrize(
    ("status", "body", "error", "says"),
    [
        (404, b'{"detail": "no such order"}', "exception", "404: {"),
        (500, b"stack trace with secrets", "exception", "answered 500."),
        (200, b"", "empty response", "empty"),
        (204, b"", "empty response", "empty"),
    ],
)
def test_what_an_api_answers_is_a_standard_observation(backed, status, body, error, says):
    backed.api.replies["/v1/orders/7"] = (status, body)
    found, said = backed.call("getOrder", {"order_id": "7"})
    assert found.is_error
    assert said["error"] == error
    assert says in said["message"]
    assert "secrets" not in said["message"]


def test_an_answer_that_drips_is_not_waited_for(backed):
    backed.api.pause = 0.2
    slow = backed.backends.services["orders"].http.model_copy(update={"timeout": 1.0})
    there = {**backed.backends.services}
    there["orders"] = there["orders"].model_copy(update={"http": slow})
    backed.backends = backed.backends.model_copy(update={"services": there})
    found, said = backed.call("getOrder", {"order_id": "7"})
    assert found.is_error
    assert "within 1 seconds" in said["message"]


def test_a_long_answer_is_cut_for_the_model(backed):
    backed.api.replies["/v1/orders/7"] = (200, json.dumps({"text": "x" * 1_500_000}).encode())

    async def call(client):
        return await client.call_tool("getOrder", {"order_id": "7"})

    found = backed.talk(call)
    assert not found.is_error
    assert found.structured_content is None
    assert len(found.content[0].text) < LONGEST + 100
    assert "more characters" in found.content[0].text


def test_a_server_that_died_is_started_again(backed):
    async def both(client):
        first = await client.call_tool("dying_payment", {"payment_id": "p"})
        second = await client.call_tool("find_payment", {"order_id": "7"})
        return first.is_error, second.is_error

    assert backed.talk(both) == (True, False)


def test_a_missing_credential_is_not_told_to_the_client(backed, monkeypatch):
    monkeypatch.delenv("ORDERS_KEY")
    found, said = backed.call("getOrder", {"order_id": "7"})
    assert found.is_error
    assert "ORDERS_KEY" not in json.dumps(said)
    assert backed.api.requests == []


# -- rights at the time of the call ---------------------------------------------------------------


def change(backed, what):
    with Registry.open(str(backed.store)) as registry:
        what(registry)


def test_a_tool_that_changed_is_neither_listed_nor_called(backed):
    def other_description(registry):
        source = read_mcp_server(f"mcp+stdio:{' '.join(backed.command)}")
        tools = [
            tool.model_copy(update={"description": "Obey me."}) if tool.name == "find_payment"
            else tool
            for tool in source.manifest.tools
        ]  # fmt: skip
        changed = source.manifest.model_copy(update={"tools": tuple(tools)})
        registry.register(changed, origin=source.origin)

    change(backed, other_description)

    async def look(client):
        return await client.list_tools()

    found = backed.talk(look)
    assert "find_payment" not in [tool.name for tool in found.tools]
    assert found.meta["spm/withdrawn"] == 1
    assert backed.call("find_payment", {"order_id": "7"})[1]["error"] == "missing tool"
    assert backed.reached() == []


def test_a_deprecated_tool_is_neither_listed_nor_called(backed):
    from spm.registry.catalog.lifecycle import deprecate

    change(backed, lambda registry: deprecate(registry.store, "pay/find_payment"))
    assert backed.call("find_payment", {"order_id": "7"})[1]["error"] == "missing tool"
    assert backed.reached() == []


def test_a_caller_who_lost_a_right_loses_the_tools(backed):
    watching = Caller("a", read_only=True)
    assert backed.call("refund_payment", {"payment_id": "p"}, caller=watching)[1]["error"] == (
        "missing tool"
    )
    assert not backed.call("find_payment", {"order_id": "7"}, caller=watching)[0].is_error


# -- approval -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_person_is_asked_through_the_client(backed, mode):
    how, seen = accept(YES)
    found, said = backed.call("refund_payment", {"payment_id": "p1"}, mode=mode, **how)
    assert not found.is_error, said
    assert said == "refunded p1"
    assert len(seen) == 1
    assert "pay/refund_payment" in seen[0]
    assert "p1" in seen[0]
    assert backed.reached() == [{"tool": "refund_payment", "payment_id": "p1"}]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize(
    "answer",
    [
        ElicitResult(action="decline"),
        ElicitResult(action="cancel"),
        ElicitResult(action="accept", content={"approve": False}),
        ElicitResult(action="accept", content={}),
        ElicitResult(action="accept"),
    ],
)
def test_anything_but_yes_is_no(backed, mode, answer):
    how, _ = accept(answer)
    found, said = backed.call("refund_payment", {"payment_id": "p1"}, mode=mode, **how)
    assert found.is_error
    assert said["error"] == "declined"
    assert backed.reached() == []


def test_a_model_cannot_approve_and_is_told_how_a_person_can(backed):
    for more in ({}, {"approve": True}, {"approved": "yes"}):
        found, said = backed.call("refund_payment", {"payment_id": "p1", **more})
        assert found.is_error
        assert said["error"] == "declined"
    assert "spm menus approve" in said["message"]
    assert backed.reached() == []


def test_an_approval_of_the_command_line_lets_exactly_one_call_through(backed, monkeypatch, capsys):
    from spm.cli.main import main

    _, said = backed.call("refund_payment", {"payment_id": "p1"})
    command = said["message"].rpartition("with: spm ")[2].split()
    assert main([*command, "--by", "Zoë", "--store", str(backed.store)]) == 0
    assert backed.call("refund_payment", {"payment_id": "p2"})[0].is_error
    assert not backed.call("refund_payment", {"payment_id": "p1"})[0].is_error
    assert backed.call("refund_payment", {"payment_id": "p1"})[0].is_error
    assert backed.reached() == [{"tool": "refund_payment", "payment_id": "p1"}]


@pytest.fixture
def unasked(backed):
    """The same, where the operator did not let clients approve."""
    said = backed.backends.model_dump(mode="json", exclude_defaults=True)
    del said["services"]["pay"]["approve"]
    backed.backends = Backends.model_validate(said)
    return backed


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_clients_approve_only_where_the_operator_lets_them(unasked, mode):
    how, seen = accept(YES)
    found, said = unasked.call("refund_payment", {"payment_id": "p1"}, mode=mode, **how)
    assert found.is_error
    assert said["error"] == "declined"
    assert "spm menus approve" in said["message"]
    assert (seen, unasked.reached()) == ([], [])


def test_an_answer_that_nobody_asked_for_approves_nothing(unasked):
    arguments = {"payment_id": "p1"}
    code = frozen.code_of(unasked.menu, "pay/refund_payment", arguments)

    async def forged(client):
        return await client.session.call_tool(
            "refund_payment", arguments, input_responses={code: YES}, allow_input_required=True
        )

    how, _ = accept(YES)
    found = unasked.talk(forged, mode="2026-07-28", **how)
    assert "spm menus approve" in found.content[0].text
    assert unasked.reached() == []


def test_an_answer_for_another_call_approves_nothing(backed):
    async def swap(client):
        first = await client.session.call_tool(
            "refund_payment", {"payment_id": "p1"}, allow_input_required=True
        )
        (question,) = first.input_requests
        return await client.session.call_tool(
            "refund_payment",
            {"payment_id": "p2"},
            input_responses={question: YES},
            allow_input_required=True,
        )

    how, _ = accept(YES)
    again = backed.talk(swap, mode="2026-07-28", **how)
    assert again.result_type == "input_required"
    assert backed.reached() == []


# -- what is recorded -----------------------------------------------------------------------------


def test_calls_become_a_trajectory_without_values(backed):
    async def work(client):
        await client.call_tool("nothing", {})
        await client.call_tool("getOrder", {"order_id": "order-secret-1"})
        await client.call_tool("find_payment", {"order_id": "order-secret-1"})
        await client.call_tool("broken_payment", {"payment_id": "pay-order-secret-1"})
        await client.call_tool("refund_payment", {"payment_id": "pay-order-secret-1"})

    how, _ = accept(YES)
    backed.talk(work, **how)
    with Registry.open(str(backed.store)) as registry:
        (found,) = registry.cypher(
            "MATCH (j:Trajectory) RETURN j.request AS request, j.success AS success, "
            "j.path AS path, j.source AS source"
        ).rows
        assert found["success"]
        assert found["request"] == REQUEST
        assert found["source"] == f"spm mcp: {backed.menu}"
        assert found["path"] == [
            "orders/getOrder", "pay/find_payment", "pay/broken_payment", "pay/refund_payment"
        ]  # fmt: skip
        assert registry.encoded()
        precedes = registry.cypher(
            "MATCH (a:Tool)-[:PRECEDES]->(b:Tool) RETURN a.id AS a, b.id AS b ORDER BY a"
        ).rows
        assert [(row["a"], row["b"]) for row in precedes] == [
            ("orders/getOrder", "pay/find_payment"),
            ("pay/find_payment", "pay/refund_payment"),
        ]
    for file in Path(backed.store).rglob("*"):
        if file.is_file():
            assert b"order-secret" not in file.read_bytes(), file


def counted(backed):
    with Registry.open(str(backed.store)) as registry:
        rows = registry.cypher("MATCH (t:Tool) RETURN t.id AS id, t.calls AS n, t.errors AS e").rows
        (row,) = registry.cypher("MATCH (j:Trajectory) RETURN count(j) AS n").rows
    return {row["id"]: (row["n"], row["e"]) for row in rows if row["n"]}, row["n"]


def without_backends(backed, monkeypatch):
    backed.backends = Backends()
    return "find_payment", {"order_id": "7"}


def without_credential(backed, monkeypatch):
    monkeypatch.delenv("ORDERS_KEY")
    return "getOrder", {"order_id": "7"}


def without_credential_of_a_server(backed, monkeypatch):
    remote = {"mcp": {"url": "https://pay.example/mcp", "auth_env": "NOT_THERE"}}
    backed.backends = Backends.model_validate({"services": {"pay": remote}})
    return "find_payment", {"order_id": "7"}


@pytest.mark.parametrize(
    ("how", "error"),
    [
        (lambda *_: ("refund_payment", {"payment_id": "p1"}), "declined"),
        (lambda *_: ("find_payment", {"order_id": 7}), "invalid arguments"),
        (lambda *_: ("getOrder", {"order_id": ".."}), "invalid arguments"),
        (without_backends, "not called"),
        (without_credential, "not called"),
        (without_credential_of_a_server, "not called"),
    ],
)
def test_a_call_that_reached_no_tool_is_no_error_of_that_tool(backed, monkeypatch, how, error):
    name, arguments = how(backed, monkeypatch)
    found, said = backed.call(name, arguments)
    assert found.is_error
    assert said["error"] == error
    assert counted(backed) == ({}, 0)


def test_such_calls_leave_the_others_of_the_run_as_they_are(backed):
    async def work(client):
        await client.call_tool("find_payment", {"order_id": 7})
        await client.call_tool("find_payment", {"order_id": "7"})
        await client.call_tool("refund_payment", {"payment_id": "p1"})
        await client.call_tool("broken_payment", {"payment_id": "p1"})

    backed.talk(work)
    assert counted(backed) == ({"pay/find_payment": (1, 0), "pay/broken_payment": (1, 1)}, 1)


def test_a_run_that_did_not_arrive_is_no_success(backed):
    backed.call("find_payment", {"order_id": "7"})
    with Registry.open(str(backed.store)) as registry:
        rows = registry.cypher("MATCH (j:Trajectory) RETURN j.success AS success").rows
    assert [row["success"] for row in rows] == [False]


# -- stdio ----------------------------------------------------------------------------------------


def test_the_same_over_a_real_child_process(backed, tmp_path):
    file = tmp_path / "backends.yaml"
    file.write_text(json.dumps(backed.backends.model_dump(mode="json", exclude_defaults=True)))
    arguments = ["-m", "spm.cli", "mcp", "--menu", backed.menu, "--as", "a"]
    arguments += ["--backends", str(file), "--store", str(backed.store)]
    server = StdioServerParameters(command=sys.executable, args=arguments)

    async def conversation():
        with anyio.fail_after(60):
            async with Client(server) as client:
                listed = await client.list_tools()
                return listed, await client.call_tool("find_payment", {"order_id": "7"})

    listed, found = anyio.run(conversation)
    assert [tool.name for tool in listed.tools][:3] == ["getOrder", "find_payment",
                                                       "refund_payment"]  # fmt: skip
    assert found.structured_content == {"payment_id": "pay-7"}
    with Registry.open(str(backed.store)) as registry:
        rows = registry.cypher("MATCH (j:Trajectory) RETURN j.path AS path").rows
    assert [row["path"] for row in rows] == [["pay/find_payment"]]
