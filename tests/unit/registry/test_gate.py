import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import QueryRefused
from spm.registry.gate import MAX_LENGTH, check_read_only

DATA = Path(__file__).parents[2] / "data" / "gate"
# Cuts a query where white space may stand: around punctuation that is no part of a longer token.
PIECES = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`|[\w$]+|\s+|.""", re.S)
GAPS = st.sampled_from([" ", "\n", "\t", "\r\n", "/**/", "/* x */", "// x\n", "/*'*/", "//\"\n"])


def queries(name: str) -> list[str]:
    blocks = (DATA / name).read_bytes().decode().removesuffix("\n").split("\n---\n")
    return [re.sub(r"\A# [^\n]*\n", "", block) for block in blocks]


ALLOWED, REFUSED = queries("allowed.txt"), queries("refused.txt")


def refuses(query: str) -> bool:
    try:
        check_read_only(query)
    except QueryRefused:
        return True
    return False


@pytest.mark.parametrize("query", ALLOWED)
def test_reads_pass(query: str) -> None:
    check_read_only(query)


@pytest.mark.parametrize("query", REFUSED)
def test_everything_else_is_refused(query: str) -> None:
    with pytest.raises(QueryRefused, match=r" at \d+:\d+ .+\. \w"):
        check_read_only(query)


def test_the_lists_stay_long() -> None:
    assert len(set(ALLOWED)) >= 60
    assert len(set(REFUSED)) >= 200


def test_the_message_names_the_word_the_place_and_the_next_step() -> None:
    with pytest.raises(QueryRefused, match=r"^'Set' at 2:3 .* Use: MATCH, "):
        check_read_only("MATCH (n)\n  Set n.x = 1")


def test_the_message_lists_the_procedures() -> None:
    with pytest.raises(QueryRefused, match=r"'CALL apoc\.load\.json' at 1:1 .* db\.labels, "):
        check_read_only("CALL apoc.load.json('x')")


@given(st.sampled_from(REFUSED), st.data())
def test_gaps_between_tokens_open_nothing(query: str, data: st.DataObject) -> None:
    pieces = PIECES.findall(query)
    at = data.draw(st.integers(0, len(pieces)))
    spread = "".join(pieces[:at]) + data.draw(GAPS) + "".join(pieces[at:])
    # A gap may end a line comment or a string that was open, never turn a write into a read.
    assert refuses(spread) or not re.search(r"(?i)\b(create|set|delete|load)\b", spread)


@given(st.sampled_from(REFUSED), st.sampled_from([str.upper, str.lower, str.swapcase, str.title]))
def test_case_opens_nothing(query: str, change: object) -> None:
    assert callable(change)
    assert refuses(change(query))


@given(st.sampled_from(ALLOWED), st.sampled_from(["CREATE (x)", "SET x.y = 1", "DETACH DELETE x"]))
def test_a_write_after_any_read_is_refused(query: str, write: str) -> None:
    assert refuses(f"{query.rstrip().rstrip(';')}\n{write}")


@given(st.text() | st.text("(){}[]'\"`/*\\u;:.,$ \nSETCALLMATCH", max_size=60))
def test_any_text_either_passes_or_is_refused(text: str) -> None:
    refuses(text)


@pytest.mark.parametrize(
    "unit",
    ["(", "()", "'", "''", '"\\', "`", "/*", "//\n", "a.", "CALL (", "CALL (a) ", "CALL a.", "1", "$"]
    + ["\\", "\\\\u", "{a:", "[", "NOT ", "a,", "RETURN ", "é", "*", "x(", "a.b(", "0x", "1.", "\r\n"],
)
def test_time_is_linear(unit: str) -> None:
    begin = time.perf_counter()
    for start in ("", "RETURN ", "MATCH (n) RETURN '"):
        refuses((start + unit * MAX_LENGTH)[:MAX_LENGTH])
    assert time.perf_counter() - begin < 3.0


def test_long_queries_are_refused() -> None:
    check_read_only("RETURN 1 //".ljust(MAX_LENGTH, "x"))
    with pytest.raises(QueryRefused, match="over 100000 characters"):
        check_read_only("RETURN 1 //".ljust(MAX_LENGTH + 1, "x"))
