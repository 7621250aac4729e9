"""Audiences against the rule of access: who sees two tools sees a third one, or not."""

from __future__ import annotations

from itertools import chain, combinations, product

from hypothesis import given
from hypothesis import strategies as st

from spm.registry.access.audience import EVERYBODY, Audience, Places, audience_of
from spm.registry.access.caller import Caller
from spm.registry.access.rules import sees

OWNERS, SCOPES = (None, "", "a", "b"), ("x", "y")
RIGHTS = st.fixed_dictionaries(
    {
        "visibility": st.sampled_from(["public", "team", "private"]),
        "owner": st.sampled_from(OWNERS),
        "scopes": st.lists(st.sampled_from(SCOPES), unique=True).map(sorted),
        "effects": st.sampled_from(["read", "write", "destructive"]),
        "status": st.sampled_from(["active"] * 4 + ["deprecated", "quarantined"]),
        "successor": st.none(),
        "id": st.just("shop/x"),
    }
)
SOME = [None, *chain.from_iterable(combinations(SCOPES, n) for n in range(3))]
CALLERS = [
    Caller(team, scopes, reads)
    for team, scopes, reads in product((None, "", "a", "b", "c"), SOME, (False, True))
]


@given(RIGHTS, RIGHTS, RIGHTS)
def test_an_audience_sees_a_tool_where_each_of_its_callers_does(
    one: dict[str, object], other: dict[str, object], third: dict[str, object]
) -> None:
    both = audience_of(one).shared(audience_of(other))
    callers = [caller for caller in CALLERS if sees(one, caller) and sees(other, caller)]
    said = both.sees(audience_of(third))
    every = all(sees(third, caller) for caller in callers)
    # Nobody else need be known: saying no too often keeps more, and tells nothing.
    assert every or not said
    if one == other == third:
        assert said
    assert both == audience_of(other).shared(audience_of(one))


@given(RIGHTS)
def test_everybody_changes_no_audience(one: dict[str, object]) -> None:
    assert audience_of(one).shared(EVERYBODY) == audience_of(one)


def test_only_better_ones_that_all_see_take_a_place() -> None:
    team, public = Audience(owners=frozenset("a")), Audience()
    places = Places(1, EVERYBODY)
    assert places.takes(team)  # the best, for its team
    assert places.takes(public)  # others do not see the best
    assert not places.takes(public)
    assert not places.takes(team)
    assert places.are_full({team, public})
    assert not places.are_full({Audience(reads=True)})
