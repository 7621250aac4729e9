"""Every check finds what it looks for: menus that break an invariant are told, and no others."""

from dataclasses import replace

import pytest

from spm.registry.importers.detection import read_source
from spm.registry.insight.impact import impact
from spm.registry.invariants import dependencies
from spm.registry.invariants.checks import check_invariants
from spm.registry.invariants.dependencies import told_differently
from spm.registry.invariants.sample_requests import sample_requests
from spm.registry.menus.menu import Menu, MenuItem
from tests.support.help_desk import SPECIFICATION


def item(tool, effects="read", **needs):
    name = tool.rpartition("/")[2]
    return MenuItem(1, tool, name, "", "", "target", effects, needs, [], 0.0, {})


def menu(request, *items, state=(), notes=()):
    route, backup = [one.id for one in items], item("desk/list_teams")
    return Menu(request, [*state], route, [*items, backup], "fake", "", 0, 0.0, 1, notes=[*notes])


class Fake:
    """Gives the menus that a test wants."""

    name = "fake"

    def __init__(self, answer):
        self._answer = answer

    def menu(self, ask):
        return self._answer(ask.request)


@pytest.fixture
def desk(registry, manifest):
    registry.register(
        manifest(
            "desk",
            list_tickets={"effects": "read", "outputs": [{"name": "ticket_id"}]},
            get_ticket={"effects": "read", "inputs": [{"name": "ticket_id"}]},
            create_ticket={"effects": "write", "inputs": [{"name": "subject"}]},
            list_teams={"effects": "read", "outputs": [{"name": "team_id"}]},
            purge_ticket={"effects": "destructive", "inputs": [{"name": "ticket_id"}]},
        )
    )
    return registry


@pytest.fixture
def checked(desk):
    """The outcomes by name, with the menus that a test wants."""

    def check(answer):
        desk._ranker = Fake(answer)
        return {one.name: one for one in check_invariants(desk, requests=20)}

    return check


FIND, CREATE = "help-desk/findUser", "help-desk/createTicket"


@pytest.fixture
def help_desk(registry):
    registry.add(read_source(str(SPECIFICATION)))
    return registry


def wrong(outcomes):
    return {name for name, outcome in outcomes.items() if not outcome.ok}


LISTED = item("desk/list_tickets")


def test_good_menus_violate_nothing(checked):
    shown = item("desk/get_ticket", ticket_id=["desk/list_tickets"])
    outcomes = checked(lambda request: menu(request, LISTED, shown))
    assert wrong(outcomes) == set()
    assert all(outcome.tried for outcome in outcomes.values())
    assert wrong(checked(menu)) == set()  # no route is never wrong


def test_writing_where_only_reading_is_asked_for(checked):
    made = item("desk/create_ticket", "write", subject=[])
    outcomes = checked(lambda request: menu(request, made))
    assert wrong(outcomes) == {"reading", "not understood"}
    assert "desk/create_ticket (write)" in {v.got for v in outcomes["reading"].violations}


def test_destroying_unasked(checked):
    gone = item("desk/purge_ticket", "destructive", ticket_id=[])
    note = "Read the route with care: the language of the request was not understood."
    outcomes = checked(lambda request: menu(request, gone, notes=[note]))
    assert wrong(outcomes) == {"reading", "destroying"}
    asked = {violation.subject for violation in outcomes["destroying"].violations}
    assert any("Lösche" in text for text in asked)
    assert "Delete ticket 17" not in asked


def test_values_and_courtesies_that_move_the_route(checked):
    def by_value(request):
        return menu(request, *([LISTED] if "98" in request else []))

    def by_courtesy(request):
        return menu(request, *([LISTED] if "lease" in request else []))

    for answer in (by_value, by_courtesy):
        outcomes = checked(answer)
        assert wrong(outcomes) == {"wording"}
        first = outcomes["wording"].violations[0]
        assert (first.expected, first.got) == ("no route", "desk/list_tickets")


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        ({}, "does not name this input"),
        ({"ticket_id": ["request"]}, "does not give it"),
        ({"ticket_id": ["desk/list_tickets"]}, "does not run before"),
    ],
)
def test_inputs_that_nobody_accounts_for(checked, needs, said):
    outcomes = checked(lambda request: menu(request, item("desk/get_ticket", **needs)))
    assert wrong(outcomes) == {"supplies"}
    assert said in outcomes["supplies"].violations[0].got


def test_what_the_request_gives_or_a_person_says_is_accounted_for(checked):
    given = item("desk/get_ticket", ticket_id=["request"])
    assert not wrong(checked(lambda request: menu(request, given, state=["ticket_id"])))
    assert not wrong(checked(lambda request: menu(request, item("desk/get_ticket", ticket_id=[]))))


def test_dependencies_that_the_graph_does_not_know(checked):
    shown = item("desk/get_ticket", ticket_id=[])
    odd = item("desk/create_ticket", "write", subject=["desk/get_ticket"])

    def answer(request):
        return menu(request, shown, odd) if request.startswith("Create") else menu(request)

    outcomes = checked(answer)
    assert "dependencies" in wrong(outcomes)
    got = outcomes["dependencies"].violations[0].got
    assert got == "desk/create_ticket takes subject from desk/get_ticket: none"


def test_saved_queries_and_paths_are_held_against_cypher(desk, monkeypatch):
    assert list(told_differently(desk, ["desk/get_ticket", "desk/purge_ticket"])) == []
    empty = replace(desk.cypher("RETURN 1 AS one"), rows=[])
    monkeypatch.setattr(desk, "saved", lambda name, params: empty)
    monkeypatch.setattr(desk, "paths", lambda source, target: [])
    subjects = [v.subject for v in told_differently(desk, ["desk/get_ticket"])]
    assert subjects[0] == "desk/get_ticket"
    assert "desk/list_tickets → desk/get_ticket" in subjects


def without_makers(view):
    return replace(view, producers={})


def without_takers(view):
    return replace(view, consumers={"user_id": ["help-desk/listTeams"]})


@pytest.mark.parametrize("change", [without_makers, without_takers])
def test_what_tools_show_says_is_held_against_cypher(help_desk, monkeypatch, change):
    show = help_desk.show
    monkeypatch.setattr(help_desk, "show", lambda tool: change(show(tool)))
    tools = [CREATE] if change is without_makers else [FIND]
    (found,) = told_differently(help_desk, tools)
    assert found.subject == tools[0]
    assert found.expected.startswith("spm tools show")


@pytest.mark.parametrize(
    ("part", "change", "said"),
    [
        ("impact", {"stopped": []}, "requester_id help-desk/createTicket"),
        ("survey", {"single_producers": []}, "requester_id help-desk/findUser 1"),
        ("survey", {"asked": []}, "subject 1"),
    ],
)
def test_impact_and_atlas_are_held_against_saved_queries(
    help_desk, monkeypatch, part, change, said
):
    help_desk.remove("whoIsOnCall")
    assert list(told_differently(help_desk, [FIND, CREATE])) == []
    tell = getattr(dependencies, part)
    monkeypatch.setattr(
        dependencies, part, lambda *a, **named: replace(tell(*a, **named), **change)
    )
    (found,) = told_differently(help_desk, [FIND])
    assert said in found.expected
    assert found.got == "nothing"


def test_alternatives_are_held_against_saved_queries(help_desk, monkeypatch):
    assert list(told_differently(help_desk, [FIND])) == []
    monkeypatch.setattr(
        dependencies, "impact", lambda *a, **k: replace(impact(*a, **k), alternatives=[])
    )
    (found,) = told_differently(help_desk, [FIND])
    assert "requester_id help-desk/whoIsOnCall" in found.expected


def test_equal_names_alone_would_be_told(help_desk, monkeypatch):
    """As it once was: who answers with a field of that name makes it, and nobody else does."""
    help_desk.remove("whoIsOnCall")
    read = help_desk.store.read

    def by_name(query, **params):
        if query != "insight/feeds":
            return read(query, **params)
        needs = [row for row in read("insight/inputs") if row["required"]]
        return [
            {"id": made["id"], "next": need["id"], "fields": [need["field"]]}
            for made in read("insight/outputs")
            for need in needs
            if made["field"] == need["field"] and made["id"] != need["id"]
        ]

    monkeypatch.setattr(help_desk.store, "read", by_name)
    told = {found.expected.split(",")[0] for found in told_differently(help_desk, [FIND, CREATE])}
    assert {"spm atlas: stand on one tool", "spm atlas: no tool makes"} <= told
    assert "spm impact: can no longer run" in told


def test_requests_are_the_same_for_the_same_registry_and_of_every_kind(desk):
    store = desk.store
    found = sample_requests(store, 20)
    assert found == sample_requests(store, 20)
    assert found != sample_requests(store, 20, seed=1)
    assert {request.asks for request in found} == {"read", "change", "destroy", "unknown"}
    texts = [request.text for request in found]
    assert len(set(texts)) == len(texts)
    assert any("quokka" in request.text for request in found if request.asks == "unknown")
    shown = next(request for request in found if request.text == "Show team 17")
    assert "Show team 98" in shown.alike
    assert "Could you show team 17?" in shown.alike


def test_an_empty_registry_is_asked_nothing(registry):
    outcomes = check_invariants(registry)
    assert [(o.tried, o.violations) for o in outcomes] == [(0, [])] * len(outcomes)


def test_progress_ends_where_it_said(desk):
    heard = []
    desk._ranker = Fake(menu)
    check_invariants(desk, requests=5, progress=lambda done, total: heard.append((done, total)))
    assert heard[-1] == (len(heard), heard[0][1])
    assert heard[-1][0] == heard[-1][1]
