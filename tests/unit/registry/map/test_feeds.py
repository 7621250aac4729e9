"""The rule of FEEDS on small graphs, and its upkeep by every write."""

from dataclasses import replace

import pytest

from spm.registry.map.feeds import (
    CREATES,
    FURTHER,
    HUB_FURTHER,
    REQUIRED,
    feeds,
    is_handed,
)
from spm.registry.map.homes import HUB_TOOLS
from spm.registry.map.resources import INSIDE, Given, Identity
from spm.registry.map.tool_nodes import Node, Takes

EDGES = "MATCH (a:Tool)-[e:FEEDS]->(b:Tool) RETURN a.name AS a, b.name AS b, e.fields AS fields"


def node(name, verb, resource, takes=(), gives=()):
    """A tool: `takes` are (field, resource, role, required), `gives` (resource, role)."""
    return Node(
        name,
        verb,
        resource,
        tuple(Takes(f, Identity(r, role), required) for f, r, role, required in takes),
        tuple(Given(r, role) for r, role in gives),
    )


def pairs(*nodes):
    return {(feed.producer, feed.consumer) for feed in feeds(nodes)}


GET_USER = node("get_user", "get", "user", [("user_id", "user", "", True)], [("user", "")])
LIST_USERS = node("list_users", "list", "user", [], [("user", "")])


def test_a_list_feeds_what_takes_an_item():
    assert pairs(LIST_USERS, GET_USER) == {("list_users", "get_user")}


def test_who_needs_the_same_id_makes_nothing():
    other = node("rename_user", "update", "user", [("user_id", "user", "", True)], [("user", "")])
    assert pairs(GET_USER, other) == set()


def test_who_looks_into_a_place_finds_others_than_it_takes():
    look = node("look", "list", "path", [("path", "path", INSIDE, True)], [("path", "")])
    again = replace(look, id="again")
    read = node("read", "get", "file", [("path", "path", "", True)])
    assert pairs(look, read) == {("look", "read")}
    assert ("look", "again") in pairs(look, again)
    echo = replace(look, takes=(*look.takes, Takes("at", Identity("path"), True)))
    assert pairs(echo, read) == set()


@pytest.mark.parametrize("verb", ["update", "delete", "act"])
def test_what_changes_something_that_exists_feeds_nothing(verb):
    assert pairs(node("do_user", verb, "user", [], [("user", "")]), GET_USER) == set()


def test_the_plain_id_feeds_a_role_and_a_reference_the_plain_id():
    assign = node("assign", "update", "ticket", [("assignee_id", "user", "assignee", True)])
    ticket = node("get_ticket", "get", "ticket", [("t", "ticket", "", True)], [("user", "owner")])
    assert ("list_users", "assign") in pairs(LIST_USERS, assign)
    assert ("get_ticket", "get_user") in pairs(ticket, GET_USER)


def test_one_role_feeds_no_other():
    assign = node("assign", "update", "ticket", [("assignee_id", "user", "assignee", True)])
    ticket = node("get_ticket", "get", "ticket", [("t", "ticket", "", True)], [("user", "owner")])
    assert pairs(ticket, assign) == set()


def test_a_hub_is_fed_only_by_what_lists_it():
    takers = [
        node(f"use_{n}", "act", "thing", [("space", "space", "", True)]) for n in range(HUB_TOOLS)
    ]
    lists = node("list_spaces", "list", "space", [], [("space", "")])
    refers = node("get_me", "get", "me", [], [("space", "space")])
    found = pairs(*takers, lists, refers)
    assert {producer for producer, _ in found} == {"list_spaces"}


def test_producers_are_bounded_and_one_of_them_creates():
    many = [
        node(f"list_users_{n}", "list", "user", [("in", f"place_{n}", "", True)], [("user", "")])
        for n in range(20)
    ]
    needs = [("in", "place", "", True), ("of", "group", "", True)]
    create = node("create_user", "create", "user", needs, [("user", "")])
    found = pairs(*many, create, GET_USER)
    assert len(found) == REQUIRED + 1
    assert ("create_user", "get_user") in found


def test_handed_fields():
    assert is_handed("order_id")
    assert is_handed("tracking_number")
    assert not is_handed("subject")
    assert not is_handed("id")
    assert not is_handed("page_token")


@pytest.fixture
def shop(registry, manifest):
    registry.register(
        manifest(
            "orders",
            list_orders=([], ["order_id"]),
            ship_order={"inputs": [{"name": "order_id"}], "effects": "write"},
        )
    )
    return registry


def edges(registry):
    return {(r["a"], r["b"]) for r in registry.cypher(EDGES, {}).rows}


def test_a_registration_writes_edges_and_a_removal_takes_them(shop):
    assert edges(shop) == {("list_orders", "ship_order")}
    shop.remove("list_orders", force=True)
    assert edges(shop) == set()


def test_names_do_not_cross_services(registry, manifest):
    registry.register(manifest("vault", read_mount=([], ["secret_name", "lease_id"])))
    registry.register(manifest("repo", use_secret=(["secret_name"], []), renew=(["lease_id"], [])))
    rows = registry.cypher("MATCH (:Tool)-[f:FEEDS]->(b:Tool) RETURN b.name AS b", {}).rows
    assert [row["b"] for row in rows] == ["renew"]


def test_another_service_feeds_only_what_nobody_here_makes(shop, manifest):
    shop.register(manifest("billing", refund_order={"inputs": [{"name": "order_id"}]}))
    assert ("list_orders", "refund_order") in edges(shop)
    shop.register(
        manifest(
            "billing",
            refund_order={"inputs": [{"name": "order_id"}]},
            find_order=(["receipt_text"], ["order_id"]),
        )
    )
    assert ("find_order", "refund_order") in edges(shop)
    assert ("list_orders", "refund_order") not in edges(shop)


def test_registering_again_changes_nothing(shop, manifest):
    before = shop.status()["revision"]
    again = shop.register(
        manifest(
            "orders",
            list_orders=([], ["order_id"]),
            ship_order={"inputs": [{"name": "order_id"}], "effects": "write"},
        )
    )
    assert again.revision is None
    assert shop.status()["revision"] == before


def test_a_tool_without_declared_outputs_is_inferred_to_give_what_it_names(registry, manifest):
    registry.register(
        manifest("desk", find_user_by_email=(["email"], []), close_user_account=(["user_id"], []))
    )
    found = registry.cypher(
        "MATCH (a:Tool)-[e:FEEDS]->(b:Tool) RETURN a.name AS a, b.name AS b, e.evidence AS how", {}
    ).rows
    assert [(r["a"], r["b"], r["how"]) for r in found] == [
        ("find_user_by_email", "close_user_account", "inferred")
    ]


def test_a_get_that_takes_its_own_id_only_echoes_it_though_it_is_not_required():
    info = node("user_info", "get", "user", [("user", "user", "", False)], [("user", "")])
    assert pairs(info, GET_USER) == set()


def test_of_two_versions_of_an_api_each_is_used_with_its_own():
    def versioned(word, verb, *more):
        return replace(node(f"{word}_{verb}", verb, "user", *more), words=frozenset({word}))

    old, new = (versioned(word, "list", [], [("user", "")]) for word in ("v1", "v2"))
    taker = versioned("v2", "get", [("user_id", "user", "", True)])
    assert pairs(old, new, taker) == {("v2_list", "v2_get")}


def test_what_goes_on_answering_is_no_look_up():
    stream = replace(LIST_USERS, id="watch_users", words=frozenset({"watch", "users"}))
    assert pairs(stream, GET_USER) == set()


def test_what_creates_one_thing_feeds_no_other():
    token = node("create_token", "create", "token", [], [("user", "")])
    assert pairs(token, GET_USER) == set()


def named(tool, *spoken):
    return replace(tool, words=frozenset(spoken))


def lister(name, *spoken, takes=()):
    return named(node(name, "list", "user", takes, [("user", "")]), *spoken)


def test_a_get_of_its_own_kind_echoes_it_though_a_quirk_says_many():
    info = node("user_info", "get", "user", [("user", "user", "", False)])
    assert pairs(replace(info, gives=(Given("user", "", True),)), GET_USER) == set()


def test_what_a_producer_takes_of_the_very_thing_makes_it_no_nearer(monkeypatch):
    monkeypatch.setattr("spm.registry.map.feeds.OPTIONAL", 1)
    change = node("hide", "act", "post", [("user", "user", "", False)])
    search = node("z", "list", "user", [("near_user", "user", "near", False)], [("user", "")])
    found = pairs(node("a", "list", "user", [], [("user", "")]), search, change)
    assert {producer for producer, consumer in found if consumer == "hide"} == {"a"}


def test_a_thing_just_made_holds_nothing_that_others_could_look_at():
    shelf = node("create_shelf", "create", "shelf", [], [("shelf", "")])
    inside = [("shelf", "shelf", "", True)]
    add = node("create_book", "create", "book", inside, [("book", "")])
    listed = node("list_books", "list", "book", inside, [("book", "")])
    burn = node("burn_book", "act", "fire", [*inside, ("book", "book", "", True)])
    fed = {consumer for producer, consumer in pairs(shelf, add, listed, burn)
           if producer == "create_shelf"}  # fmt: skip
    assert fed == {"create_book"}


def test_nobody_makes_a_hub_to_look_around_in_it():
    needs = [("space", "space", "", True)]
    takers = [node(f"use_{n}", "act", "thing", needs) for n in range(HUB_TOOLS)]
    create = node("create_space", "create", "space", [], [("space", "")])
    looks = node("weather", "get", "weather", needs)
    found = pairs(*takers, create, looks)
    assert ("create_space", "use_0") in found
    assert ("create_space", "weather") not in found


def refers(name, verb, resource, role):
    needs = [("id", resource, "", True)] if verb == "get" else []
    return node(name, verb, resource, needs, [("user", role)])


def test_references_feed_who_gets_the_thing_one_from_each_kind_of_thing():
    got, listed = refers("get_x", "get", "x", "user"), refers("list_x", "list", "x", "user")
    others = [refers(f"get_{n}", "get", n, "owner") for n in ("longer_y", "longer_z")]
    delete = node("drop_user", "delete", "user", [("user_id", "user", "", True)])
    found = pairs(got, listed, *others, LIST_USERS, GET_USER, delete)
    fed = {producer for producer, consumer in found if consumer == "get_user"}
    assert fed == {"list_users", "get_x", "get_longer_y"}
    assert {p for p, consumer in found if consumer == "drop_user"} == {"list_users"}


def test_of_lists_of_the_same_those_count_whose_names_add_least():
    plain, starred = (
        lister("l", "users", "list"),
        lister("s", "list", "users", "remote", "of", "friends"),
    )
    taker = named(GET_USER, "get", "users")
    assert pairs(plain, starred, taker) == {("l", "get_user")}


def test_a_hub_is_listed_by_ones_own_before_everybodys():
    needs = [("user", "user", "", True)]
    takers = [node(f"use_{n}", "act", "thing", needs) for n in range(HUB_TOOLS)]
    mine, everybody = lister("mine_of_all", "users", "authenticated", "user"), lister("all")
    assert {p for p, _ in pairs(*takers, mine, everybody)} == {"mine_of_all"}


def test_few_that_need_more_where_others_need_nothing():
    far = [lister(f"far_{n}", takes=[("of", f"group_{n}", "", True)]) for n in range(9)]
    found = {producer for producer, _ in pairs(*far, LIST_USERS, GET_USER)}
    assert len(found) == FURTHER + 1
    assert len(pairs(*far, GET_USER)) == REQUIRED


def test_a_hub_has_fewer_that_need_more():
    far = [lister(f"far_{n}", takes=[("of", f"group_{n}", "", True)]) for n in range(9)]
    needs = [("user", "user", "", True)]
    takers = [node(f"use_{n}", "act", "thing", needs) for n in range(HUB_TOOLS)]
    lists = [replace(each, gives=(Given("user", "", True),)) for each in (*far, LIST_USERS)]
    assert len({producer for producer, _ in pairs(*lists, *takers)}) == HUB_FURTHER + 1


def test_room_is_kept_for_several_that_create():
    far = [lister(f"far_{n}", takes=[("of", f"group_{n}", "", True)]) for n in range(9)]
    makes = [
        node(f"create_{n}", "create", "user", [("in", f"place_{n}", "", True)], [("user", "")])
        for n in range(CREATES + 1)
    ]
    found = {producer for producer, _ in pairs(*far, *makes, GET_USER)}
    assert len([name for name in found if name.startswith("create")]) == CREATES


def test_an_optional_input_of_no_resource_is_not_fed_by_its_name_out_of_long_records():
    long = frozenset({"tax_id", *(f"f{n}" for n in range(20))})
    record = Node("list_people", "list", "person", makes=long)
    taker = Node("pay", "act", "bill", (Takes("tax_id", None, required=False),))
    assert pairs(record, taker) == set()
    needs = replace(taker, takes=(Takes("tax_id", None, required=True),))
    assert pairs(record, needs) == {("list_people", "pay")}


def test_whom_one_follows_is_not_just_any_user():
    followed = lister("f", "users", "followed", "by", "authenticated", "user")
    anybody = lister("longer_name", "users", "list")
    needs = [("user", "user", "", True)]
    takers = [node(f"use_{n}", "act", "thing", needs) for n in range(HUB_TOOLS)]
    assert {producer for producer, _ in pairs(followed, anybody, *takers)} == {"longer_name"}


def test_who_lists_just_there_leaves_little_to_look_for_elsewhere():
    far = [lister(f"far_{n}", takes=[("of", f"group_{n}", "", True)]) for n in range(9)]
    there = lister("there", takes=[("org", "org", "", True)])
    takes = [("org", "org", "", True), ("user_id", "user", "", True)]
    taker = node("get_member", "get", "user", takes)
    everywhere = [LIST_USERS, GET_USER]
    found = {p for p, consumer in pairs(*far, there, taker, *everywhere) if consumer == taker.id}
    assert found >= {"there", "list_users"}
    assert len(found & {one.id for one in far}) <= 1


def placed(verb, *parents, of="reaction", own=True):
    """A tool about reactions inside of something, which it names if it is about one of them."""
    takes = [(parent, parent, "", True) for parent in parents]
    takes += [(of, of, "", True)] if own else []
    name = f"{verb}_{'_'.join(parents)}_{of}"
    return node(name, verb, of, takes, [] if own else [(of, "")])


def test_a_thing_of_one_owner_is_none_of_another():
    places = ("issue",), ("commit",), ("issue", "note")
    tools = [
        placed(verb, *place, own=verb == "delete")
        for place in places
        for verb in ("list", "create", "delete")
    ]
    found = pairs(*tools)
    for place in places:
        taker = placed("delete", *place).id
        makers = {placed(verb, *place, own=False).id for verb in ("list", "create")}
        assert {p for p, c in found if c == taker} == makers


def test_what_is_listed_below_its_owner_is_also_among_all():
    tools = [
        placed(verb, *place, own=verb == "delete")
        for place in ((), ("customer",))
        for verb in ("list", "delete")
    ]
    assert (placed("list", own=False).id, placed("delete", "customer").id) in pairs(*tools)
    assert (placed("list", "customer", own=False).id, placed("delete").id) in pairs(*tools)


def test_a_list_of_what_is_in_a_state_feeds_what_speaks_of_it():
    blocked = named(lister("blocked"), "list", "blocked", "users")
    anybody = named(lister("users"), "list", "users")
    needs = [("user_id", "user", "", True)]
    unblock = named(node("unblock", "update", "user", needs), "unblock", "user")
    rename = named(node("rename", "update", "user", needs), "rename", "user")
    found = pairs(blocked, anybody, unblock, rename)
    assert ("blocked", "unblock") in found
    assert ("blocked", "rename") not in found
    assert ("blocked", "rename") in pairs(blocked, rename)  # better than nothing


def test_who_adds_what_is_there_to_something_makes_nothing():
    takes = [("teams", "team", "", False)]
    add = named(node("add_teams", "create", "team", takes, [("team", "")]), "add", "teams")
    get = node("get_team", "get", "team", [("team_id", "team", "", True)])
    assert pairs(add, get) == set()
    assert pairs(named(add, "create", "teams"), get) == {("add_teams", "get_team")}


def test_what_was_just_made_is_not_looked_for():
    make = node("make", "create", "user", [], [("user", "")])
    look = node("list_users", "list", "user", [("user_name", "user", "", False)])
    assert pairs(make, look) == set()


def test_who_asks_about_itself_does_not_act_on_itself():
    me = named(node("me", "get", "user", [], [("user", "")]), "get", "authenticated", "user")
    needs = [("user_id", "user", "", True)]
    assert pairs(me, node("remove", "delete", "user", needs)) == set()
    assert pairs(me, node("events", "list", "event", needs)) == {("me", "events")}


@pytest.mark.parametrize("word", ["preview", "upcoming"])
def test_what_is_not_there_yet_has_no_id(word):
    assert pairs(named(LIST_USERS, word, "users"), GET_USER) == set()


def test_a_look_into_another_thing_is_a_detour():
    """Teams are made in an organization; those of an invitation are found by another look."""
    org = ("org", "org", "", True)
    make = node("make_team", "create", "team", [org], [("team", "")])
    teams = node("teams", "list", "team", [org], [("team", "")])
    invited = [org, ("invitation", "invitation", "", True)]
    of_one = node("teams_of_invitation", "list", "team", invited, [("team", "")])
    cancel = node("cancel", "delete", "invitation", invited)
    team = node("get_team", "get", "team", [("team_id", "team", "", True)])
    found = {p for p, consumer in pairs(make, teams, of_one, cancel, team) if consumer == team.id}
    assert found == {"teams", "make_team"}


def test_what_needs_something_else_is_no_nearer_for_being_ones_own(monkeypatch):
    monkeypatch.setattr("spm.registry.map.feeds.FURTHER", 1)
    of_org = lister("l", "users", "org", takes=[("org", "org", "", True)])
    mine = lister("longer_name", "users", "my", "past", takes=[("job", "job", "", True)])
    plain = lister("z", "users")
    taker = named(GET_USER, "users")
    assert {producer for producer, _ in pairs(of_org, mine, plain, taker)} == {"l", "z"}


def test_what_a_thing_has_is_not_put_into_the_same_kind_of_thing_again():
    takes = (Takes("relation_type", None, True),)
    make = replace(node("make", "create", "entity"), takes=takes)
    read = replace(node("read", "get", "graph"), makes=frozenset({"relation_type"}))
    assert pairs(make, read) == {("read", "make")}
    assert pairs(make, replace(read, gives=(Given("entity", "", True),))) == set()


def test_nobody_looks_for_users_to_look_for_them():
    search = node("search_users", "search", "user", [("user_id", "user", "", False)])
    needed = node("search_among", "search", "user", [("user_id", "user", "", True)])
    assert pairs(LIST_USERS, search) == set()
    assert pairs(LIST_USERS, needed) == {("list_users", "search_among")}


def test_what_is_known_of_a_thing_is_not_used_to_look_for_it():
    tell = Node("tell", "list", "user", gives=(Given("user"),), makes=frozenset({"user_email"}))
    find = Node("find", "search", "user", (Takes("user_email", None, False),))
    invite = Node("invite", "act", "team", (Takes("user_email", None, True),))
    assert pairs(tell, find, invite) == {("tell", "invite")}


def test_members_are_not_made_members_again():
    takes = [("project_id", "project", "", True)]
    members = node("members", "list", "member", takes, [("member", ""), ("user", "")])
    add = node("add", "create", "member", [*takes, ("user_id", "user", "", True)])
    assign = node("assign", "update", "issue", [*takes, ("user_id", "user", "", True)])
    assert pairs(members, add, assign) == {("members", "assign")}


def test_an_act_brings_about_what_it_answers_with_and_does_not_take():
    takes = [("cart_id", "cart", "", True)]
    checkout = node("checkout", "act", "order", takes, [("order", "")])
    show = node("show", "get", "order", [("order_id", "order", "", True)])
    assert pairs(checkout, show) == {("checkout", "show")}
    ship = node("ship", "act", "order", [*takes, ("order_id", "order", "", True)], [("order", "")])
    assert pairs(ship, show) == set()
    # A card for an issuing card, a bare id: it may be the very thing.
    card = node("ship", "act", "issuing_card", [("card", "card", "", True)], [("issuing_card", "")])
    use = node("use", "get", "issuing_card", [("issuing_card", "issuing_card", "", True)])
    assert pairs(card, use) == set()
    bare = replace(card, takes=(*checkout.takes, Takes("some_id", None, True)))
    assert pairs(bare, use) == set()


def test_what_is_made_answers_with_an_operation_that_can_be_watched():
    insert = node("insert", "create", "disk", [], [("operation", "")])
    watch = node("watch", "get", "operation", [("operation", "operation", "", True)])
    assert pairs(insert, watch) == {("insert", "watch")}
    told = node("insert", "create", "disk", [], [("disk", ""), ("operation", "")])
    assert pairs(told, watch) == set()


def test_an_act_tells_what_goes_on_after_it():
    site = (Takes("site", None, True),)
    start = Node("start", "act", "export", site, makes=frozenset({"job_id", "mail_id"}))
    follow = Node("follow", "get", "export", (Takes("job_id", None, True),))
    read = Node("read", "get", "mail", (Takes("mail_id", None, True),))
    assert pairs(start, follow, read) == {("start", "follow")}


def test_what_a_new_thing_shall_have_is_told_by_nobody_else():
    tell = Node("tell", "list", "mail", makes=frozenset({"user_email"}))
    add = Node("add", "create", "s/user", (Takes("user_email", None, True),))
    invite = Node("invite", "create", "s/team", (Takes("user_email", None, True),))
    assert pairs(tell, add, invite) == {("tell", "invite")}
