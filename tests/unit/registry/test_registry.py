"""`Registry.menu`: the default ranker, names as people type them, and vectors that are missing."""

from importlib.metadata import entry_points

import pytest

from spm.registry import demo
from spm.registry.access.caller import Caller
from spm.registry.errors import EncoderError, InputError, UnknownTool
from spm.registry.menus.menu import Ask
from spm.registry.registry import RANKERS, Registry


def test_the_default_ranker_is_found_through_its_entry_point(shop):
    (point,) = entry_points(group=RANKERS, name="default")
    assert point.value == "spm.gnn.ranker:default"
    made = shop.ranker()
    assert type(made) is type(point.load()(shop))
    assert callable(made.menu)
    assert callable(made.why_not)
    assert shop.ranker() is made


def test_without_an_entry_point_the_error_says_what_to_do(shop_copy, monkeypatch):
    monkeypatch.setattr("spm.registry.registry.RANKERS", "spm.nobody")
    with Registry.open(str(shop_copy)) as registry, pytest.raises(InputError, match="No ranker"):
        registry.menu("x")


def test_everything_that_can_be_asked_is_handed_on(shop):
    asked = []

    class Listening:
        name = "listening"

        def menu(self, ask):
            asked.append(ask)
            return shop.ranker().menu(ask)

        def why_not(self, ask, tool):
            raise AssertionError("a menu was asked for")

    shop.menu(
        demo.REQUEST,
        state=["x"],
        size=3,
        prefix=2,
        caller=Caller("shop"),
        done=["lookup_order", "Create Receipt", "orders/lookup_order"],
        ranker=Listening(),
    )
    done = ("orders/lookup_order", "payments/create_receipt")
    assert asked == [Ask(demo.REQUEST, ("x",), 3, 2, Caller("shop"), done)]


def test_many_answers_are_those_given_one_by_one(shop, monkeypatch):
    monkeypatch.setattr("spm.registry.registry.TOGETHER", 2)
    asks = [
        Ask(demo.REQUEST, done=("lookup_order",)),
        Ask("Cancel order 991", caller=Caller(read_only=True)),
        Ask("Refund order 4821", size=3),
    ]
    told = []
    found = shop.answers(asks, progress=lambda done, total: told.append((done, total)))
    assert found == [shop.answer(ask) for ask in asks]
    assert [menu.revision > 0 for menu in found] == [True, False, True]
    assert told == [(2, 3), (3, 3)]
    assert shop.answers([]) == []


def test_long_gaps_in_a_request_are_cut_before_anybody_reads_it(shop):
    gaps = demo.REQUEST.replace(" ", " " * 2_000)
    assert shop.menu(gaps) == shop.menu(demo.REQUEST)
    assert shop.resolved(Ask(gaps)) == Ask(demo.REQUEST)


def test_unknown_tools_are_refused_with_the_nearest(shop):
    with pytest.raises(UnknownTool, match="lookup_order"):
        shop.menu("x", done=["lokup_order"])
    with pytest.raises(UnknownTool, match="lookup_order"):
        shop.why_not(Ask("x"), "lokup_order")


def test_why_not_takes_names_as_people_type_them(shop):
    ask = Ask(demo.REQUEST, done=("Lookup Order",))
    assert shop.why_not(ask, "lookupOrder").reasons == ["It ran already."]


@pytest.mark.parametrize("request_text", ["", "  ", "\n\t"])
def test_an_empty_request_is_refused(shop, request_text):
    with pytest.raises(InputError, match="The request is empty"):
        shop.menu(request_text)


@pytest.mark.parametrize("options", [{"size": 0}, {"size": -1}, {"prefix": 0}])
def test_a_menu_needs_at_least_one_tool(shop, options):
    with pytest.raises(InputError, match="at least one tool"):
        shop.menu("x", **options)


def test_a_menu_without_vectors_says_what_is_missing(registry, manifest, encoder):
    assert registry.menu("x").items == []  # nothing registered, nothing missing
    registry.register(manifest("s", a={"scopes": ["x"]}))
    with pytest.raises(EncoderError, match="no vectors yet"):
        registry.menu("x")
    registry.encode(encoder)
    assert registry.menu("x").items
    nobody = Caller(scopes=())
    assert registry.menu("x", caller=nobody).items == []
