from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spm.registry.errors import StoreDamaged, StoreWriteFailed
from spm.registry.store.journal import Journal, Position, record

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
BODIES = st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=3), max_size=4)
FILES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
THREE: list[dict[str, Any]] = [{"n": 1}, {"text": "zwei\n\0ü"}, {"n": [3, None]}]


def joined(bodies: list[dict[str, Any]]) -> tuple[bytes, list[Position]]:
    lines, positions = [], [Position()]
    for body in bodies:
        line, after = record(positions[-1], body)
        lines.append(line)
        positions.append(after)
    return b"".join(lines), positions


def read(path: Path, data: bytes, start: Position | None = None) -> list[dict[str, Any]]:
    path.write_bytes(data)
    return [entry.body for entry in Journal(path).entries(start)]


@FILES
@given(BODIES)
def test_round_trip(tmp_path: Path, bodies: list[dict[str, Any]]) -> None:
    data, positions = joined(bodies)
    path = tmp_path / "journal"
    assert read(path, data) == bodies
    for seen, position in enumerate(positions):
        assert read(path, data, position) == bodies[seen:]
        assert data[: position.offset].count(b"\n") == seen  # one line each
    assert [entry.after for entry in Journal(path).entries()] == positions[1:]


def test_append_writes_what_record_says(tmp_path: Path) -> None:
    journal, position = Journal(tmp_path / "journal"), Position()
    assert journal.size() == 0
    assert list(journal.entries()) == []
    for body in THREE:
        position = journal.append(position, body)
    data, positions = joined(THREE)
    assert journal.path.read_bytes() == data
    assert position == positions[-1]
    assert journal.size() == position.offset


def test_every_change_of_one_byte_is_noticed(tmp_path: Path) -> None:
    """In any place, to 0, to its neighbour, to the other case, to a digit, to a line end."""
    data, _ = joined(THREE)
    path, silent, trials = tmp_path / "journal", [], 0
    for place, byte in enumerate(data):
        for changed in {0, byte ^ 1, byte ^ 32, ord("0"), ord("\n"), ord(" "), 255} - {byte}:
            trials += 1
            try:
                found = read(path, data[:place] + bytes([changed]) + data[place + 1 :])
            except StoreDamaged:
                continue
            silent.append((place, changed))
            assert found == THREE[:2]
    # The one exception: the very last byte as zero is a write whose end did not arrive.
    assert silent == [(len(data) - 1, 0)]
    assert trials > 1_000


def test_every_cut_gives_the_records_before_it(tmp_path: Path) -> None:
    data, positions = joined(THREE)
    for size in range(len(data) + 1):
        whole = sum(1 for position in positions[1:] if position.offset <= size)
        assert read(tmp_path / "journal", data[:size]) == THREE[:whole]


def test_every_zeroed_end_gives_the_records_before_it(tmp_path: Path) -> None:
    data, positions = joined(THREE)
    for start in range(positions[2].offset, len(data)):
        for more in (0, 3, 5_000):
            zeros = bytes(len(data) - start + more)
            assert read(tmp_path / "journal", data[:start] + zeros) == THREE[:2]
    middle = positions[1].offset + 10
    with pytest.raises(StoreDamaged):  # zeros in the middle are no end
        read(tmp_path / "journal", data[:middle] + bytes(20) + data[middle + 20 :])


@FILES
@given(st.binary(min_size=1, max_size=200))
def test_anything_after_the_last_record_is_refused_or_torn(tmp_path: Path, junk: bytes) -> None:
    data, _ = joined(THREE)
    try:
        found = read(tmp_path / "journal", data + junk)
    except StoreDamaged:
        return
    assert found == THREE
    assert b"spm1 ".startswith(junk[:5].rstrip(b"\0"))


@FILES
@given(BODIES, BODIES)
def test_chains_do_not_mix(
    tmp_path: Path, ours: list[dict[str, Any]], theirs: list[dict[str, Any]]
) -> None:
    """A position of one journal is refused in another, unless both agree up to there."""
    _, positions = joined(ours)
    data, other = joined([*theirs, {"last": 1}])
    position = positions[-1]
    path = tmp_path / "journal"
    if position in other:
        assert read(path, data, position) == [*theirs, {"last": 1}][position.seq :]
    elif position.offset != len(data):
        with pytest.raises(StoreDamaged):
            read(path, data, position)


def test_a_journal_shorter_than_its_witness_is_refused(tmp_path: Path) -> None:
    data, positions = joined(THREE)
    with pytest.raises(StoreDamaged, match="operation 3 ended at byte"):
        read(tmp_path / "journal", data[:-1], positions[3])
    with pytest.raises(StoreDamaged, match="ends at byte 0"):
        list(Journal(tmp_path / "none").entries(positions[1]))


def test_messages_name_place_and_remedy(tmp_path: Path) -> None:
    data, positions = joined(THREE)
    place = positions[1].offset + 60
    with pytest.raises(StoreDamaged) as caught:
        read(tmp_path / "journal", data[:place] + b"~" + data[place + 1 :])
    message = str(caught.value)
    assert f"at byte {positions[1].offset:,} (operation 2)" in message
    assert "spm doctor --repair" in message


def test_a_record_with_another_number_is_refused(tmp_path: Path) -> None:
    first, after = record(Position(), {"n": 1})
    skipping, _ = record(Position(5, after.offset, after.digest), {"n": 2})
    with pytest.raises(StoreDamaged, match="number 6"):
        read(tmp_path / "journal", first + skipping)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    with pytest.raises(StoreDamaged, match="cannot be read"):
        list(Journal(tmp_path / "journal").entries())


def test_settle_cuts_a_torn_tail(tmp_path: Path) -> None:
    data, positions = joined(THREE)
    journal = Journal(tmp_path / "journal")
    journal.settle(Position())  # nothing there, nothing made
    assert not journal.path.exists()
    journal.path.write_bytes(data[:-7])
    with pytest.raises(StoreWriteFailed):  # never written over
        journal.append(positions[2], {"n": 9})
    assert journal.path.read_bytes() == data[:-7]
    journal.settle(positions[2])
    journal.append(positions[2], THREE[2])
    assert journal.path.read_bytes() == data


@FILES
@given(BODIES, st.binary(max_size=80))
def test_the_tail_is_the_end_of_a_whole_journal(
    tmp_path: Path, bodies: list[dict[str, Any]], torn: bytes
) -> None:
    data, positions = joined(bodies)
    path = tmp_path / "journal"
    path.write_bytes(data)
    assert Journal(path).tail() == (positions[-1] if bodies else None)
    path.write_bytes(data + torn)
    assert Journal(path).tail() in ((positions[-1],) if bodies and not torn else (None,))


def test_the_tail_of_a_long_record_and_of_no_file(tmp_path: Path) -> None:
    data, positions = joined([{"a": "x" * 300_000}, {"b": "y" * 200_000}])
    path = tmp_path / "journal"
    path.write_bytes(data)
    assert Journal(path).tail() == positions[-1]
    assert Journal(tmp_path / "none").tail() is None
