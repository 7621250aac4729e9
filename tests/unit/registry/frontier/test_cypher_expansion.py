"""The frontier asked of a store: as from arrays, and blind to what a caller may not see."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spm.gnn.arrays.array_expansion import Question, expand
from spm.gnn.arrays.from_store import load
from spm.registry import demo
from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.frontier.cypher_expansion import Expansion
from spm.registry.frontier.frontier import SIZE, Frontier
from spm.registry.registry import Registry
from spm.registry.search.results import Probes
from tests.data.frontiers import (
    FIELDS,
    RULES,
    SMALL,
    WORDS,
    Worded,
    World,
    differing,
    limits,
    worlds,
)

ENCODER = Worded()
PARTS = st.lists(st.sampled_from([*WORDS, "nothing"]), max_size=4).map(" ".join)
REQUESTS = st.lists(PARTS, max_size=3).map(", then ".join)  # some of them have clauses
GIVEN = st.frozensets(st.sampled_from(FIELDS), max_size=2)
CALLER = Caller("a", ("x",), read_only=True)
# Each of these keeps a tool out of the sight of CALLER.
HIDING: list[dict[str, Any]] = [
    {"visibility": "private", "owner": "b"},
    {"visibility": "team", "owner": "b"},
    {"scopes": ["y"]},
    {"status": "quarantined"},
    {"status": "deprecated"},
    {"effects": "destructive"},
    {"effects": "write"},
]


@contextmanager
def opened(world: World) -> Iterator[Registry]:
    with tempfile.TemporaryDirectory() as folder, Registry.open(folder) as registry:
        world.fill(registry)
        yield registry


def question(text: str, fields: frozenset[str] = frozenset()) -> Question:
    rows = ENCODER.encode_clauses([text])[0]
    return Question(text, rows[0], fields, None, rows[1:])


def ask(
    registry: Registry,
    text: str,
    fields: frozenset[str] = frozenset(),
    caller: Caller = EVERYTHING,
    must: tuple[str, ...] = (),
) -> Frontier:
    rows = ENCODER.encode_clauses([text])[0]
    return Expansion(registry.store).frontier(Probes.of(text, rows), fields, caller, must)


def tool(name: str, needs: tuple[str, ...] = (), gives: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "service": "shop",
        "name": name,
        "description": name,
        "inputs": [{"name": part} for part in needs],
        "outputs": [{"name": part} for part in gives],
    }


def trace(name: str, request: str, *tools: str) -> dict[str, Any]:
    steps = [{"tool": f"shop/{step}"} for step in tools]
    return {"trace_id": name, "request": request, "steps": steps}


# -- both implementations of the rule -----------------------------------------------------------


@settings(max_examples=25)
@given(worlds(), REQUESTS, GIVEN, st.sampled_from(RULES))
def test_the_store_and_arrays_give_the_same(
    world: World, text: str, fields: frozenset[str], sizes: dict[str, int]
) -> None:
    with opened(world) as registry, limits(**sizes):
        found = ask(registry, text, fields)
        expected = expand(load(registry.store), question(text, fields))
    assert differing(found, expected) == []


@pytest.fixture(scope="module")
def filled_demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    with Registry.open(str(tmp_path_factory.mktemp("demo") / "store")) as registry:
        for manifest in demo.manifests():
            registry.register(manifest)
        registry.import_traces(demo.trajectories())
        registry.encode(ENCODER)
        yield registry


def test_the_demo_gives_the_same(filled_demo: Registry) -> None:
    library = load(filled_demo.store)
    requests = [row.request for row in demo.trajectories()][::50]
    for text in [*requests, "", "Wo ist mein Paket?"]:
        for constants in (*RULES, {**SMALL, "SIZE": 60, "SOURCES": 20, "PRODUCERS": 8}):
            with limits(**constants):
                shown = frozenset({"order_id", "email"})
                found = ask(filled_demo, text, shown)
                expected = expand(library, question(text, shown))
            assert differing(found, expected) == [], text


def test_who_may_see_everything_sees_what_nobody_is_kept_from(filled_demo: Registry) -> None:
    """Counts of trajectories are what the edges count, as long as nothing faded."""
    rows = filled_demo.store.query(
        "MATCH (t:Tool) UNWIND t.scopes AS x RETURN DISTINCT x", {}, limit=99, timeout=60
    ).rows
    caller = Caller(scopes=tuple(row["x"] for row in rows))
    assert caller.restricted
    for text in ("refund the order", "mail the invoice to the customer"):
        assert differing(ask(filled_demo, text, caller=caller), ask(filled_demo, text)) == []


# -- what is hidden -----------------------------------------------------------------------------


@settings(max_examples=25)
@given(worlds(status=False, faded=False), REQUESTS, GIVEN, st.booleans(), st.data())
def test_hidden_tools_and_their_trajectories_change_no_byte(
    world: World, text: str, fields: frozenset[str], small: bool, data: st.DataObject
) -> None:
    other = data.draw(worlds(status=False, faded=False))
    hidden = [
        {**spec, "name": f"hidden {at}", **data.draw(st.sampled_from(HIDING))}
        for at, spec in enumerate(other.tools)
    ]
    names = [f"{spec['service']}/{spec['name']}" for spec in (*world.tools, *hidden)]
    through = []
    for at, way in enumerate(other.traces):
        tools = data.draw(st.lists(st.sampled_from(names), max_size=4))
        tools.insert(
            data.draw(st.integers(0, len(tools))),
            data.draw(st.sampled_from(names[len(world.tools) :])),
        )
        through.append({**way, "trace_id": f"h{at}", "steps": [{"tool": name} for name in tools]})
    more = replace(
        world,
        tools=[*world.tools, *hidden],
        traces=[*through, *world.traces],
        faded=bool(other.same),
    )
    with opened(world) as plain, opened(more) as full, limits(**SMALL if small else {}):
        found = ask(full, text, fields, CALLER)
        assert differing(found, ask(plain, text, fields, CALLER)) == []
    assert len(found.tools) == min(len(world.tools), len(found.tools))


def test_a_caller_learns_nothing_from_trajectories_of_others() -> None:
    """What an edge counts would tell; this is how much it would."""
    tools = [tool("a", gives=("tax",)), tool("b"), {**tool("secret"), "visibility": "private"}]
    world = World(tools, [trace("1", "order", "a", "b", "secret"), trace("2", "order", "a", "b")])
    with opened(world) as registry:
        seen, everything = ask(registry, "order", caller=CALLER), ask(registry, "order")
    assert seen.tools == ["shop/a", "shop/b"]
    assert seen.memory.ids == ["2"]
    assert seen.frequency.tolist() == [1, 1]
    assert seen.entry.tolist() == [1, 0]
    assert seen.precedes.tolist() == seen.before.tolist() == [[0, 1], [0, 0]]
    assert everything.precedes[0, 1] == everything.before[0, 1] == 2


# -- the rule in examples -----------------------------------------------------------------------


def test_tools_that_must_be_there_come_first() -> None:
    world = World(
        [tool(name) for name in ("order", "mail", "tax")]
        + [{**tool("gone"), "status": "deprecated"}]
    )
    with opened(world) as registry, limits(SIZE=2):
        assert ask(registry, "order").tools[0] == "shop/order"
        must = ("shop/tax", "shop/gone", "shop/nobody")
        assert ask(registry, "order", must=must).tools == ["shop/tax", "shop/order"]


def test_neighbours_and_producers_come_in_before_what_text_ranks_next() -> None:
    """Nothing but what was observed, and what is missing, leads to two of these."""
    world = World(
        [
            tool("order", needs=("parcel",)),
            tool("neighbour"),
            tool("get_parcel", gives=("parcel",)),
            tool("get_echo", needs=("parcel",), gives=("parcel",)),
            *[tool(f"ship {word}") for word in WORDS],
        ],
        [trace("1", "", "order", "neighbour")],
    )
    with opened(world) as registry, limits(LOOKUP=3, ANCHORS=1, SIZE=4):
        found = ask(registry, "order")
        assert found.tools[:3] == ["shop/order", "shop/neighbour", "shop/get_parcel"]
        given_parcel = ask(registry, "order", frozenset({"parcel"}))
    assert "shop/get_parcel" not in given_parcel.tools
    assert given_parcel.given.tolist() == [1.0]


def test_merged_fields_are_one_under_the_least_name() -> None:
    tools = [tool("order", needs=("parcel",)), tool("maker", gives=("tax",)), tool("x", ("größe",))]
    merged = [("parcel", "tax"), ("größe", "tax")]
    with opened(World(tools, same=merged)) as registry:
        found = ask(registry, "order", frozenset({"tax"}))
    assert found.fields == ["größe"]
    assert found.given.tolist() == [1.0]
    place = {name: at for at, name in enumerate(found.tools)}
    assert found.takes[[place["shop/order"], place["shop/x"]]].tolist() == [[1.0], [1.0]]
    assert found.gives[place["shop/maker"]].tolist() == [1.0]


def test_an_empty_registry_has_an_empty_frontier(registry: Registry) -> None:
    found = ask(registry, "order")
    assert found.tools == found.fields == found.memory.ids == []
    assert found.takes.shape == (0, 0)
    expected = expand(load(registry.store), question("order"))
    assert differing(found, expected) == []
    assert ask(registry, "order", caller=CALLER).tools == []


@pytest.mark.parametrize("text", ["", "?!", "of the and", "order " * 17_000, "ö" * 100_000])
def test_odd_requests_and_no_traces(text: str) -> None:
    tools = [tool(f"order {at}", needs=("tax",), gives=("parcel",)) for at in range(3)]
    with opened(World(tools)) as registry:
        found = ask(registry, text, frozenset({"tax"}))
        expected = expand(load(registry.store), question(text, frozenset({"tax"})))
    assert differing(found, expected) == []
    assert len(found.tools) == 3
    assert len(found.memory.steps) == 0


def test_what_was_not_encoded_is_found_by_words_alone(registry: Registry) -> None:
    world = World([tool("order"), tool("mail")], [trace("1", "order", "mail")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Registry, "encode", lambda *_: 0)
        world.fill(registry)
    found = ask(registry, "order")
    assert found.tools == ["shop/mail", "shop/order"]
    assert not found.vectors.any()
    assert found.vectors.shape == (2, ENCODER.dimensions)
    expected = expand(load(registry.store), question("order"))
    assert differing(found, expected) == []


def test_there_are_never_more_than_fit() -> None:
    with opened(World([tool(f"order {at}") for at in range(SIZE + 5)])) as registry:
        found = ask(registry, "order", must=tuple(f"shop/order {at}" for at in range(SIZE + 5)))
    assert len(found.tools) == SIZE
    assert np.isfinite(found.fused).all()
