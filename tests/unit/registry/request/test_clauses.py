"""The parts of requests, in several languages, and texts that nobody would write."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.request.clauses import _END, GAP, LEAST, MOST, clauses, without_gaps


def parts(text: str) -> list[str]:
    return [text[begin:end].strip() for begin, end in clauses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Find the cheapest flight, then book it for me and mail me the receipt.",
            ["Find the cheapest flight,", "then book it for me and", "mail me the receipt."],
        ),
        ("Email the customer the receipt for order 4821", None),
        ("Hi, email the customer the receipt", ["Hi, email the customer the receipt"]),
        ("Book a table for two. Thank you!", ["Book a table for two. Thank you!"]),
        ("搜索航班，然后预订酒店。", ["搜索航班，", "然后预订酒店。"]),
        ("Suche einen Flug; buche ihn für mich", ["Suche einen Flug;", "buche ihn für mich"]),
        ("list all my files\nread the first one", ["list all my files", "read the first one"]),
        ("", [""]),
    ],
)
def test_a_request_is_cut_where_it_leads_on(text, expected):
    assert parts(text) == (expected or [text])


@given(st.text(max_size=300))
def test_parts_follow_each_other_and_leave_nothing_out(text):
    found = clauses(text)
    assert found[0][0] == 0
    assert all(before[1] == after[0] for before, after in pairwise(found))
    assert len(found) <= MOST
    assert len(found) == MOST or found[-1][1] == len(text)


@given(st.lists(st.sampled_from(["one", "and", "two", ",", "three", ".", "then"]), max_size=40))
def test_no_part_but_the_only_one_is_very_short(words):
    found = parts(" ".join(words))
    assert len(found) == 1 or all(len(part.split()) >= LEAST for part in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("list  my files", "list  my files"),
        (f"list{' ' * GAP}my files", f"list{' ' * GAP}my files"),
        (f"list{' ' * (GAP + 1)}my files", "list my files"),
        (f"list\t{' ' * GAP}\n{' ' * GAP}my files", "list\nmy files"),
        (" " * 20_000, " "),
    ],
)
def test_long_gaps_are_cut_and_ends_of_lines_stay(text, expected):
    assert without_gaps(text) == expected


@given(st.lists(st.sampled_from([" ", "  ", "\n", "\t", "and", "then", "x", ",", "that"])))
def test_a_bounded_gap_cuts_where_an_unbounded_one_did(pieces):
    text = "".join(pieces)
    unbounded = re.compile(_END.pattern.replace(f"{{1,{GAP}}}", "+"), re.IGNORECASE)
    assert [m.span() for m in _END.finditer(text)] == [m.span() for m in unbounded.finditer(text)]
