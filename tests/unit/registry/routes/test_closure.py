"""What has to run before a tool."""

from spm.registry.access.caller import EVERYTHING
from spm.registry.routes.closure import Known, Neighbourhood, close, every_tool, only_reading
from spm.registry.routes.tool_map import CypherMap, Feeder, MapCard, Need
from tests.support.help_desk import SERVICE, SPECIFICATION


def planned(registry, target, *, fields=(), fit=None, **more):
    known, tool = Known(frozenset(fields)), f"{SERVICE}/{target}"
    around = Neighbourhood.around(
        CypherMap(registry.store, EVERYTHING), [tool], known, fit=fit, **more
    )
    plan = close(around, tool)
    return [step.removeprefix(f"{SERVICE}/") for step in plan.steps], plan


def desk(registry):
    from spm.registry.importers.detection import read_source

    registry.add(read_source(str(SPECIFICATION)))
    return registry


def test_producers_come_before_consumers(registry):
    steps, plan = planned(desk(registry), "createTicket", fields=["user_email"])
    assert steps == ["findUser", "createTicket"]
    assert plan.supplies[f"{SERVICE}/createTicket"]["requester_id"] == f"{SERVICE}/findUser"
    assert plan.ask == ["subject"]


def test_what_is_given_needs_no_producer(registry):
    steps, plan = planned(desk(registry), "getTicket", fields=["ticket_id"])
    assert steps == ["getTicket"]
    assert plan.ask == []


def test_a_tool_that_changes_something_is_no_mere_predecessor(registry):
    steps, _ = planned(desk(registry), "getTicket")
    assert steps == ["listTickets", "getTicket"]


def test_what_the_request_speaks_of_is_preferred(registry):
    meant = {f"{SERVICE}/whoIsOnCall": 1.0}
    steps, _ = planned(desk(registry), "assignTicket", fields=["ticket_id"], fit=meant)
    assert steps == ["listTeams", "whoIsOnCall", "assignTicket"]


def test_writing_producers_can_be_allowed(registry, manifest):
    registry.register(
        manifest("a", create_job={"outputs": [{"name": "job_id"}], "effects": "write"},
                 get_job={"inputs": [{"name": "job_id"}]})
    )  # fmt: skip
    both = ["a/create_job", "a/get_job"]
    for may_make, steps in ((only_reading, ["a/get_job"]), (every_tool, both)):
        around = Neighbourhood.around(
            CypherMap(registry.store, EVERYTHING), ["a/get_job"], Known(), may_make=may_make
        )
        assert close(around, "a/get_job").steps == steps


def test_a_circle_ends(registry, manifest):
    registry.register(
        manifest("a", get_left=(["right_id"], ["left_id"]), get_right=(["left_id"], ["right_id"]))
    )
    around = Neighbourhood.around(CypherMap(registry.store, EVERYTHING), ["a/get_left"], Known())
    plan = close(around, "a/get_left")
    assert plan.steps[-1] == "a/get_left"
    assert len(plan.steps) == len(set(plan.steps))


class Cards:
    """A map of a few tools."""

    def __init__(self, **cards):
        self._cards = cards

    def cards(self, tools):
        return {tool: self._cards[tool] for tool in tools if tool in self._cards}

    def inputs(self, tools):
        return {}

    def asked(self, trajectories):
        return []


def test_a_producer_in_the_same_place_costs_little():
    """Both need an owner and a repository; the other look-up needs an organisation besides."""
    owner, repo = Need("owner", True, "s/owner"), Need("repo", True, "s/repo")
    key, org = Need("key_id", True, "s/key"), Need("org", True, "s/org")
    here = Feeder("list_here", ("key_id",), 0.9, "read")
    elsewhere = Feeder("list_org", ("key_id",), 1.0, "read")
    tool_map = Cards(
        delete_key=MapCard("delete", "s/key", "s", "write", (key, owner, repo), (here, elsewhere)),
        list_here=MapCard("list", "s/key", "s", "read", (owner, repo)),
        list_org=MapCard("list", "s/key", "s", "read", (org,)),
    )
    plan = close(Neighbourhood.around(tool_map, ["delete_key"], Known()), "delete_key")
    assert plan.steps == ["list_here", "delete_key"]


def test_what_lists_a_thing_is_a_surer_way_than_what_mentions_one():
    key = Need("key_id", True, "s/key")
    lists = Feeder("list_keys", ("key_id",), 0.5, "read")
    mentions = Feeder("get_host", ("key_id",), 0.9, "read")
    cards = {
        "use_key": MapCard("act", "s/key", "s", "write", (key,), (mentions, lists)),
        "get_host": MapCard("get", "s/host", "s", "read"),
        "list_keys": MapCard("list", "s/key", "s", "read"),
    }
    plan = close(Neighbourhood.around(Cards(**cards), ["use_key"], Known()), "use_key")
    assert plan.steps == ["list_keys", "use_key"]
    only = cards | {"use_key": MapCard("act", "s/key", "s", "write", (key,), (mentions,))}
    around = Neighbourhood.around(Cards(**only), ["use_key"], Known())
    assert around.ranked("use_key", key)[0][0] < 3  # nothing lists keys, so nothing is better


def test_what_runs_anyway_supplies_only_what_it_is_good_for():
    """Accounts are listed anyway and mention cards; what lists cards is better."""
    account, card = Need("account", True, "s/account"), Need("card", True, "s/card")
    accounts = Feeder("list_accounts", ("account", "card"), 0.6, "read")
    cards_ = Feeder("list_cards", ("card",), 1.0, "read")
    tool_map = Cards(
        delete_card=MapCard("delete", "s/card", "s", "write", (account, card), (accounts, cards_)),
        list_accounts=MapCard("list", "s/account", "s", "read"),
        list_cards=MapCard("list", "s/card", "s", "read", (account,), (accounts,)),
    )
    plan = close(Neighbourhood.around(tool_map, ["delete_card"], Known()), "delete_card")
    assert plan.supplies["delete_card"] == {"account": "list_accounts", "card": "list_cards"}


def test_what_only_tells_of_a_thing_is_used_where_the_request_speaks_of_it(registry):
    registry = desk(registry)
    steps, plan = planned(registry, "assignTicket", fields=["ticket_id"])
    assert "whoIsOnCall" not in steps
    assert plan.supplies[f"{SERVICE}/assignTicket"]["assignee_id"] in ("ask", f"{SERVICE}/findUser")
    spoken = {f"{SERVICE}/whoIsOnCall": 1.0}
    steps, _ = planned(registry, "assignTicket", fields=["ticket_id"], fit=spoken)
    assert "whoIsOnCall" in steps


def test_what_to_search_for_is_said_and_not_made():
    email = Need("email", True)
    tells = Feeder("get_host", ("email",), 1.0, "read")
    card = MapCard("search", "s/user", "s", "read", (email,), (tells,))
    tool_map = Cards(find_user=card, get_host=MapCard("get", "s/host", "s", "read"))
    plan = close(Neighbourhood.around(tool_map, ["find_user"], Known()), "find_user")
    assert (plan.steps, plan.ask) == (["find_user"], ["email"])


def test_of_equal_producers_the_one_that_reads_is_taken():
    made = ("job_id",)
    feeders = (Feeder("a/add", made, 1.0, "write"), Feeder("a/current", made, 1.0, "read"))
    tool_map = Cards(
        **{
            "a/get": MapCard("get", "", "a", "read", (Need("job_id", True),), feeders),
            "a/add": MapCard("create", "", "a", "write"),
            "a/current": MapCard("get", "", "a", "read"),
        }
    )
    around = Neighbourhood.around(tool_map, ["a/get"], Known(), may_make=every_tool)
    assert close(around, "a/get").steps == ["a/current", "a/get"]
