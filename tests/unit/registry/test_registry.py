"""`Registry.menu`: the default ranker, names as people type them, and vectors that are missing."""

from importlib.metadata import entry_points

import pytest

from spm.registry import Registry, demo
from spm.registry.access import Caller
from spm.registry.errors import EncoderError, InputError, UnknownTool
from spm.registry.plain import PlainRanker
from spm.registry.ranking import Ask
from spm.registry.registry import RANKERS


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


def test_everything_that_can_be_asked_is_handed_on(shop, encoder):
    asked = []

    class Listening(PlainRanker):
        def menu(self, ask):
            asked.append(ask)
            return super().menu(ask)

    ranker = Listening(shop.store, lambda: encoder)
    shop.menu(
        demo.REQUEST,
        state=["x"],
        size=3,
        prefix=2,
        caller=Caller("shop"),
        done=["lookup_order", "Create Receipt", "orders/lookup_order"],
        ranker=ranker,
    )
    done = ("orders/lookup_order", "payments/create_receipt")
    assert asked == [Ask(demo.REQUEST, ("x",), 3, 2, Caller("shop"), done)]


def test_unknown_tools_are_refused_with_the_nearest(shop, encoder):
    ranker = PlainRanker(shop.store, lambda: encoder)
    with pytest.raises(UnknownTool, match="lookup_order"):
        shop.menu("x", done=["lokup_order"], ranker=ranker)
    with pytest.raises(UnknownTool, match="lookup_order"):
        shop.why_not(Ask("x"), "lokup_order", ranker)


def test_why_not_takes_names_as_people_type_them(shop, encoder):
    ranker = PlainRanker(shop.store, lambda: encoder)
    ask = Ask(demo.REQUEST, done=("Lookup Order",))
    assert shop.why_not(ask, "lookupOrder", ranker).reasons == ["It ran already."]


def test_a_menu_without_vectors_says_what_is_missing(registry, manifest, encoder):
    ranker = PlainRanker(registry.store, lambda: encoder)
    assert registry.menu("x", ranker=ranker).items == []  # nothing registered, nothing missing
    registry.register(manifest("s", a={"scopes": ["x"]}))
    with pytest.raises(EncoderError, match="no vectors yet"):
        registry.menu("x", ranker=ranker)
    registry.encode(encoder)
    assert registry.menu("x", ranker=ranker).items
    nobody = Caller(scopes=())
    assert registry.menu("x", ranker=ranker, caller=nobody).items == []
