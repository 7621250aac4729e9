"""A team registers eight operations and asks: edges and routes on both engines, without a trace."""

import pytest

from spm.registry.errors import UnknownTool
from spm.registry.importers.detection import read_source
from spm.registry.models import Trace
from spm.registry.registry import Registry
from spm.registry.routes.admission import Admission
from spm.registry.settings import Settings
from tests.support.help_desk import FEEDS, ROUTES, SERVICE, SPECIFICATION, TRACES

EDGES = """MATCH (a:Tool)-[e:FEEDS]->(b:Tool)
RETURN a.name AS producer, b.name AS consumer, e.fields AS fields ORDER BY producer, consumer"""


@pytest.fixture(scope="module", params=["embedded", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def desk(request, tmp_path_factory, encoder):
    place = Settings(str(tmp_path_factory.mktemp("desk") / "store"))
    if request.param == "neo4j":
        server = request.getfixturevalue("neo4j_server")
        request.getfixturevalue("empty")(server)
        place = server.settings()
    with Registry.open(place) as registry:
        registry.add(read_source(str(SPECIFICATION)))
        registry.encode(encoder)
        yield registry


def names(tools):
    return [tool.removeprefix(f"{SERVICE}/") for tool in tools]


def test_the_graph_says_what_feeds_what(desk):
    rows = desk.cypher(EDGES, {}).rows
    assert {(r["producer"], r["consumer"]): r["fields"] for r in rows} == FEEDS


def test_a_chain_is_one_pattern(desk):
    rows = desk.cypher(
        "MATCH p = (a:Tool)-[:FEEDS*2]->(b:Tool {name: 'assignTicket'}) "
        "RETURN DISTINCT a.name AS first ORDER BY first",
        {},
    ).rows
    assert [row["first"] for row in rows] == ["findUser", "listTeams", "whoIsOnCall"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("MATCH (t:Tool {effects_by: 'ann'}) RETURN t.id AS id", []),
        ("MATCH (t:Tool {nosuch: 1, other: 2}) RETURN t.id AS id", []),
        ("MATCH (t:Tool {nosuch: 1})-[:FEEDS*1..2]->(:Tool) RETURN t.id AS id", []),
        ("MATCH (t:Tool) WHERE t.nosuch = 1 RETURN t.id AS id", []),
        (
            "MATCH (f:Field) OPTIONAL MATCH (f)<-[:REQUIRES]-(t:Tool {nosuch: 1}) "
            "RETURN DISTINCT t.id AS id",
            [{"id": None}],
        ),
    ],
)
def test_a_property_that_no_node_has_matches_nothing(desk, query, found):
    assert desk.cypher(query, {}).rows == found
    assert desk.cypher(f"EXPLAIN {query}", {}).rows
    assert desk.cypher("MATCH (t:Tool) WHERE t.nosuch IS NULL RETURN count(t) AS n").rows == [
        {"n": 8}
    ]


def test_roles_identify_users(desk):
    rows = desk.cypher(
        "MATCH (f:Field)-[e:IDENTIFIES]->(r:Resource) "
        "RETURN f.name AS field, e.role AS role, r.id AS resource ORDER BY field",
        {},
    ).rows
    assert [(r["field"], r["role"], r["resource"]) for r in rows] == [
        ("assignee_id", "assignee", "help-desk/user"),
        ("requester_id", "requester", "help-desk/user"),
        ("team_id", "", "help-desk/team"),
        ("ticket_id", "", "help-desk/ticket"),
    ]


def check_routes(desk):
    for asked, expected in ROUTES.items():
        assert names(desk.menu(asked).route) == expected, asked


def test_routes_are_what_a_person_expects_also_after_three_traces(desk):
    check_routes(desk)
    desk.import_traces([Trace.model_validate(trace) for trace in TRACES])
    check_routes(desk)


@pytest.mark.parametrize(
    "asked", ["Show me ticket 5", "Why was ticket 9 closed?", "Which tickets are open?"]
)
def test_a_question_routes_to_nothing_that_changes_anything(desk, asked):
    assert Admission.of(asked).reads
    menu = desk.menu(asked)
    effects = {item.id: item.effects for item in menu.items}
    assert all(effects[tool] == "read" for tool in menu.route)


@pytest.mark.parametrize(
    "asked", ["Open a ticket about a broken printer", "Assign ticket 8f3 to me", "List users"]
)
def test_nobody_is_made_up(desk, asked):
    """Whoever is on call for some team is not just any user."""
    assert "whoIsOnCall" not in names(desk.menu(asked).route)


@pytest.mark.parametrize(
    "asked", ["Who is jane@acme.com?", "jane@acme.com", "Look up jane@acme.com", "Find bo@acme.com"]
)
def test_an_address_alone_asks_for_what_looks_up_by_one(desk, asked):
    menu = desk.menu(asked)
    assert names(menu.route) == ["findUser"]
    assert menu.items[0].needs == {"user_email": ["request"]}


def test_backups_name_who_feeds_them_and_nobody_for_what_nobody_makes(desk):
    """A ticket's own subject and requester have the names that a new one needs."""
    menu = desk.menu("Assign ticket 8f3 to whoever is on call for the billing team")
    ids = {item.name: item.id for item in menu.items}
    for item in menu.items:
        for name, makers in item.needs.items():
            fed = {maker for maker, taker in FEEDS if taker == item.name}
            assert set(makers) - {"request"} <= {ids[maker] for maker in fed}, (item.name, name)
    opening = next(item for item in menu.items if item.name == "createTicket")
    assert opening.role == "backup"
    assert opening.needs["subject"] == []
    assert set(opening.needs["requester_id"]) == {ids["findUser"], ids["whoIsOnCall"]}
    assert not [edge for edge in menu.edges if edge.field == "subject"]


def test_an_address_beside_a_thing_asks_for_the_thing(desk):
    assert names(desk.menu("Tickets of jane@acme.com").route) == ["listTickets"]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("Order a pizza", "no tool surely does what the request asks for"),
        ("Play some music by Bach", "no tool surely does what the request asks for"),
    ],
)
def test_why_no_route_is_shown(desk, asked, why):
    menu = desk.menu(asked)
    assert menu.route == []
    assert any(why in note for note in menu.notes)


def test_without_a_verb_nothing_is_destroyed(desk):
    for asked in ("Lösche bitte alle Tickets", "ticket 17", "the purge of ticket 17"):
        assert "purgeTicket" not in names(desk.menu(asked).route), asked


@pytest.mark.parametrize(
    "asked", ["Delete customer 12", "Purge the database", "Erase his invoices"]
)
def test_nothing_is_destroyed_for_a_thing_that_no_tool_is_about(desk, asked):
    menu = desk.menu(asked)
    assert menu.route == []
    assert any("no tool surely does" in note for note in menu.notes)
    for meant in ("Delete 17", "Purge the pending 1,200 USD ticket of our Payroll team"):
        assert names(desk.menu(meant).route)[-1:] == ["purgeTicket"]


def test_a_language_that_is_not_understood_is_said(desk):
    menu = desk.menu("Lösche bitte alle Bestellungen von Kunde 17")
    assert menu.route == []
    assert any("language of the request was not understood" in note for note in menu.notes)


def test_a_route_that_changes_something_without_a_verb_is_marked(desk):
    menu = desk.menu("a new ticket for jane@acme.com: broken printer")
    changes = any(item.effects != "read" for item in menu.items if item.id in menu.route)
    assert any("no verb of the request" in note for note in menu.notes) == changes


def test_a_saved_query_says_that_there_is_no_such_tool(desk):
    with pytest.raises(
        UnknownTool, match=r"No tool named 'findUsr'\. Nearest: 'help-desk/findUser"
    ):
        desk.saved("feeds", {"tool": "findUsr"})
    assert desk.saved("feeds", {"tool": "find_user"}) == desk.saved("feeds", {"tool": "findUser"})
    assert desk.saved("feeds", {"tool": "assignTicket"}).rows == []


def test_an_answer_warns_of_names_that_the_graph_does_not_have(desk):
    answer = desk.cypher("MATCH (t:Tool {nme: 'x'}) RETURN t.id AS id", {})
    assert answer.rows == []
    assert answer.warnings == [
        "There is no property 'nme' of Tool: it is always null. Nearest: 'name'."
    ]
