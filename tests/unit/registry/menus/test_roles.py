"""What each tool of a menu needs and from whom, and what it does in the route."""

from spm.registry.menus.roles import Contract, Known, Places

NOTHING = Known(frozenset(), {})
PARCELS = {
    "quote": Contract(["weight"], ["quote"]),
    "book": Contract(["quote"], ["parcel"]),
    "track": Contract(["parcel"], ["parcel", "email"]),
    "label": Contract(["parcel"], ["label"]),
}


def test_on_the_route_only_earlier_tools_supply_and_for_backups_whoever_feeds_them():
    feeders = {"book": {"quote": frozenset(["quote", "elsewhere"])}}
    order, route = ["label", "quote", "book", "track"], ["label", "quote"]
    places = Places(order, route, PARCELS, NOTHING, feeders=feeders)
    assert places.needs("label") == {"parcel": []}
    assert places.needs("book") == {"quote": ["quote"]}
    assert places.needs("track") == {"parcel": []}  # what only shares a name feeds nobody
    places = Places(["quote", "book", "label"], ["quote", "book", "label"], PARCELS, NOTHING)
    assert places.needs("label") == {"parcel": ["book"]}


def test_a_backup_that_stands_between_tools_of_the_route_supplies_nothing():
    places = Places(["quote", "book", "label"], ["quote", "label"], PARCELS, NOTHING)
    assert places.needs("label") == {"parcel": []}


def test_an_echoed_field_is_not_made():
    order = ["track", "book", "label"]
    places = Places(order, order, PARCELS, NOTHING)
    assert places.needs("label") == {"parcel": ["book"]}
    assert PARCELS["track"].made({}) == {"email"}


def test_what_is_given_comes_from_the_request_and_else_from_who_ran():
    known = Known(frozenset(["weight"]), {"parcel": "book", "weight": "scale"})
    places = Places(["quote", "label", "track"], ["quote", "label"], PARCELS, known)
    assert places.needs("quote") == {"weight": ["request"]}
    assert places.needs("label") == {"parcel": ["book"]}


def test_roles_follow_the_route_and_its_target():
    order = ["quote", "book", "label", "track"]
    roles = [Places(order, order[:3], PARCELS, NOTHING).role(tool) for tool in order]
    assert roles == ["entry", "bridge", "target", "backup"]
    told = [Places(order, order[:3], PARCELS, NOTHING, "book").role(tool) for tool in order]
    assert told == ["entry", "target", "terminal", "backup"]
