"""How tables share the terminal."""

import pytest

from spm.cli.views.console import table

GENERATED = "lab/cancel_booking_api_v1_bookings__booking_uuid__cancel_post"  # as FastAPI names it


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_generated_name_is_whole_and_leaves_room_for_the_other_columns(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    table(["tool", "effects", "used"], [[GENERATED, "destructive", 7]], keep=["tool"])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    assert "destructive" in lines[2]
    assert lines[2].rstrip().endswith("7")
    assert "".join(line.split()[0] for line in lines[2:]) == GENERATED


def test_a_name_that_fits_stays_on_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    table(["tool", "what it does"], [["a" * 60, "word " * 40]], keep=["tool"])
    assert "a" * 60 in capsys.readouterr().out
