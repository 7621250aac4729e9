"""Routes that can run: closed under missing inputs, producers before consumers."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from spm.registry.route import Contract, arrange

FIELDS = "uvwxyz"
CONTRACTS = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d", "e", "f"]),
    st.builds(
        lambda needs, gives: Contract(sorted(needs), sorted(gives)),
        st.sets(st.sampled_from(FIELDS), max_size=2),
        st.sets(st.sampled_from(FIELDS), max_size=2),
    ),
    min_size=1,
)


def contracts(**tools: tuple[list[str], list[str]]) -> dict[str, Contract]:
    return {name: Contract(needs, gives) for name, (needs, gives) in tools.items()}


def test_missing_inputs_bring_their_producers():
    library = contracts(send=(["receipt"], []), make=(["order"], ["receipt"]), find=([], ["order"]))
    route = arrange(["send"], ["send", "make", "find"], library, set(), {}, 8)
    assert route == ["find", "make", "send"]


def test_what_is_given_brings_nobody():
    library = contracts(send=(["receipt"], []), make=([], ["receipt"]))
    assert arrange(["send"], ["send", "make"], library, {"receipt"}, {}, 8) == ["send"]


def test_the_better_of_two_producers_is_taken():
    library = contracts(send=(["r"], []), good=([], ["r"]), bad=([], ["r"]))
    assert arrange(["send"], ["send", "good", "bad"], library, set(), {}, 8) == ["good", "send"]
    assert arrange(["send"], ["send", "bad", "good"], library, set(), {}, 8) == ["bad", "send"]


def test_what_is_observed_decides_between_equals():
    library = contracts(a=([], []), b=([], []))
    assert arrange(["a", "b"], ["a", "b"], library, set(), {("b", "a"): 5}, 8) == ["b", "a"]
    assert arrange(["a", "b"], ["b", "a"], library, set(), {("a", "b"): 5}, 8) == ["a", "b"]


def test_fields_go_before_observations():
    library = contracts(make=([], ["x"]), use=(["x"], []))
    route = arrange(["use", "make"], ["use", "make"], library, set(), {("use", "make"): 99}, 8)
    assert route == ["make", "use"]


def test_a_route_over_the_limit_leaves_out_the_least_wanted_and_no_producer():
    library = contracts(a=(["x"], []), makes_x=([], ["x"]), b=([], []))
    chosen = ["a", "b", "makes_x"]
    assert arrange(["a", "b"], chosen, library, set(), {}, 2) == ["makes_x", "a"]


def test_when_nothing_fits_the_best_tool_stands_alone():
    library = contracts(a=(["x"], []), makes_x=([], ["x"]))
    assert arrange(["a"], ["a", "makes_x"], library, set(), {}, 1) == ["a"]


def test_nothing_wanted_gives_an_empty_route():
    assert arrange([], [], {}, set(), {}, 8) == []


def supplied(route: tuple[str, ...], library: dict[str, Contract], given_fields: set[str]) -> bool:
    """Whether each needed field that another tool of the route makes was made before."""
    for place, tool in enumerate(route):
        for field in library[tool].needs:
            makers = [i for i, t in enumerate(route) if t != tool and field in library[t].gives]
            if field not in given_fields and makers and min(makers) > place:
                return False
    return True


@given(
    CONTRACTS,
    st.sets(st.sampled_from(FIELDS), max_size=2),
    st.dictionaries(st.tuples(*[st.sampled_from("abcdef")] * 2), st.integers(1, 9), max_size=6),
    st.data(),
)
def test_no_producer_comes_after_its_consumer_when_an_order_exists(library, known, before, data):
    chosen = data.draw(st.permutations(sorted(library)))
    wanted = chosen[: data.draw(st.integers(1, len(chosen)))]
    limit = data.draw(st.integers(1, 6))
    route = arrange(wanted, chosen, library, known, before, limit)
    assert 1 <= len(route) <= limit
    assert len(set(route)) == len(route)
    assert set(route) <= set(chosen)
    if any(supplied(order, library, known) for order in permutations(route)):
        assert supplied(tuple(route), library, known)


@given(CONTRACTS, st.sets(st.sampled_from(FIELDS), max_size=2), st.data())
def test_a_route_is_closed_when_it_may_be_long(library, known, data):
    chosen = data.draw(st.permutations(sorted(library)))
    route = arrange(chosen[:2], chosen, library, known, {}, 6)
    assert set(chosen[:2]) <= set(route)
    for tool in route:
        for field in set(library[tool].needs) - known:
            others = [t for t in chosen if t != tool and library[t].makes(field)]
            assert not others or set(others) & set(route)


def test_an_echoed_field_is_not_made():
    library = {
        "track": Contract(["parcel"], ["parcel", "email"]),
        "book": Contract(["quote", "email"], ["parcel"]),
        "quote": Contract(["weight"], ["quote"]),
        "label": Contract(["parcel"], ["label"]),
    }
    chosen = ["label", "track", "book", "quote"]
    route = arrange(["label"], chosen, library, set(), {}, 8)
    assert route == ["quote", "book", "track", "label"] or route == [
        "quote",
        "book",
        "label",
        "track",
    ]
