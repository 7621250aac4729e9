import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import QueryRefused
from spm.registry.store.read_only_check import MAX_LENGTH, check_read_only

DATA = Path(__file__).parents[3] / "data" / "gate"
PIECES = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`|[\w$]+|\s+|.""", re.S)
GAPS = st.sampled_from([" ", "\n", "\t", "\r\n", "/**/", "/* x */", "// x\n", "/*'*/", '//"\n'])


def queries(name: str) -> list[str]:
    blocks = (DATA / name).read_bytes().decode().removesuffix("\n").split("\n---\n")
    return [re.sub(r"\A# [^\n]*\n", "", block) for block in blocks]


ALLOWED, REFUSED = queries("allowed.txt"), queries("refused.txt")
# Those that can be cut into tokens here: without comments and without open quotes.
CUT = [q for q in REFUSED if "/" not in q and not {"'", '"', "`"} & set(PIECES.findall(q))]


def refusal(query: str) -> str | None:
    """What is said about a query that is refused."""
    try:
        check_read_only(query)
    except QueryRefused as refused:
        return str(refused)
    return None


def refuses(query: str) -> bool:
    return refusal(query) is not None


def test_reads_pass() -> None:
    assert [query for query in ALLOWED if refuses(query)] == []


def test_everything_else_is_refused() -> None:
    told = {query: refusal(query) for query in REFUSED}
    assert [query for query, said in told.items() if said is None] == []
    wrong = [said for said in told.values() if not re.search(r" at \d+:\d+ .+\. \w", said or "")]
    assert wrong == []


def test_the_lists_stay_long() -> None:
    assert len(set(ALLOWED)) >= 60
    assert len(set(REFUSED)) >= 200


def test_the_message_names_the_word_the_place_and_the_next_step() -> None:
    with pytest.raises(QueryRefused, match=r"^'Set' at 2:3 .* Use: MATCH, "):
        check_read_only("MATCH (n)\n  Set n.x = 1")


def test_the_message_lists_the_procedures() -> None:
    with pytest.raises(QueryRefused, match=r"'CALL apoc\.load\.json' at 1:1 .* db\.labels, "):
        check_read_only("CALL apoc.load.json('x')")


@given(st.sampled_from(CUT), st.data())
def test_gaps_between_tokens_open_nothing(query: str, data: st.DataObject) -> None:
    pieces = PIECES.findall(query)
    places = data.draw(st.sets(st.integers(0, len(pieces)), min_size=1, max_size=5))
    parts = [data.draw(GAPS) + p if i in places else p for i, p in enumerate([*pieces, ""])]
    assert refuses("".join(parts))


# Refused for their spelling alone: in another case they are plain reads.
ONLY_SPELLED = ("CALL DB.LABELS()", "RETURN dıſtinct n", "MATCH (ſet) RETURN ſet")


@pytest.mark.parametrize("change", [str.upper, str.lower, str.swapcase, str.title])
def test_case_opens_nothing(change: Callable[[str], str]) -> None:
    opened = [q for q in REFUSED if q not in ONLY_SPELLED and not refuses(change(q))]
    assert opened == []


@given(st.sampled_from(ALLOWED), st.sampled_from(["CREATE (x)", "SET x.y = 1", "DETACH DELETE x"]))
def test_a_write_after_any_read_is_refused(query: str, write: str) -> None:
    assert refuses(f"{query.rstrip().rstrip(';')}\n{write}")


@given(st.text() | st.text("(){}[]'\"`/*\\u;:.,$ \nSETCALLMATCH", max_size=60))
def test_any_text_either_passes_or_is_refused(text: str) -> None:
    refuses(text)


@pytest.mark.parametrize(
    "unit",
    ["(", "'", "''", '"\\', "`", "/*", "a.", "CALL (", "\\\\u", "{a:", "NOT ", "x(", "1", "\r\n"],
)
def test_time_is_linear(unit: str) -> None:
    begin = time.process_time()
    refuses(("RETURN " + unit * MAX_LENGTH)[:MAX_LENGTH])
    # Generous, because a collection of garbage may fall into it; a quadratic gate takes minutes.
    assert time.process_time() - begin < 60


def test_long_queries_are_refused() -> None:
    check_read_only("RETURN 1 //".ljust(MAX_LENGTH, "x"))
    with pytest.raises(QueryRefused, match="over 100000 characters"):
        check_read_only("RETURN 1 //".ljust(MAX_LENGTH + 1, "x"))
