from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spm.registry.errors import StoreDamaged
from spm.registry.store import checkpoint
from spm.registry.store.journal import Position

FILES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
POSITIONS = st.builds(
    Position,
    st.integers(0, 2**32),
    st.integers(0, 2**40),
    st.text("0123456789abcdef", min_size=16, max_size=16),
)


@FILES
@given(POSITIONS, st.binary(max_size=200))
def test_round_trip(tmp_path: Path, position: Position, graph: bytes) -> None:
    path = tmp_path / "graph"
    sha256 = checkpoint.write(path, position, graph)
    assert len(sha256) == 64
    assert checkpoint.read(path) == (position, graph)


def test_none_yet(tmp_path: Path) -> None:
    assert checkpoint.read(tmp_path / "graph") is None


def test_every_change_of_one_byte_and_every_cut(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    whole = (Position(12, 12999, "0123456789abcdef"), b"the graph\n\0")
    checkpoint.write(path, *whole)
    data = path.read_bytes()
    refused = 0
    for place, byte in enumerate(data):
        for changed in {0, byte ^ 1, byte ^ 32, ord("e"), ord("9"), ord("\n")} - {byte}:
            path.write_bytes(data[:place] + bytes([changed]) + data[place + 1 :])
            refused += refuses(path, whole)
        path.write_bytes(data[:place])
        assert refuses(path, whole)
    assert refused > 500


def refuses(path: Path, whole: tuple[Position, bytes]) -> bool:
    try:
        assert checkpoint.read(path) == whole  # blanks of the header mean nothing
    except StoreDamaged as error:
        return "doctor --repair" in str(error)
    return False


@pytest.mark.parametrize(
    "header", [b"[]", b"null", b'{"seq": 1e999, "offset": 1, "digest": "", "sha256": ""}', b"\xff"]
)
def test_odd_headers(header: bytes, tmp_path: Path) -> None:
    (tmp_path / "graph").write_bytes(b"spm-graph-1 " + header + b"\n")
    with pytest.raises(StoreDamaged):
        checkpoint.read(tmp_path / "graph")


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreDamaged, match="cannot be read"):
        checkpoint.read(tmp_path)
