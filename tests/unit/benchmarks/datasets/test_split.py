"""The fixed split: by hand, and on the public sets where they are."""

import gzip
import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.datasets import split
from benchmarks.datasets.catalogue import BENCHMARKS

SHARED = Path(__file__).resolve().parents[5] / "shared" / "data"


def test_the_rule_is_the_one_that_is_written_down():
    for group in ("a", "mm:36690562", "Überraschung", "b\ud800"):
        text = b"set\0" + group.encode("utf-8", "surrogatepass")
        value = int(hashlib.sha1(text).hexdigest(), 16) % 100
        wanted = "train" if value < 70 else "valid" if value < 80 else "test"
        assert split.part("set", group) == wanted
    assert "SHA-1" in split.RULE
    assert "70 train" in split.RULE
    assert "80 valid" in split.RULE


def test_seven_tenths_teach_and_two_report():
    found = Counter(split.part("x", str(n)) for n in range(10_000))
    assert found["train"] == pytest.approx(7_000, abs=200)
    assert found["valid"] == pytest.approx(1_000, abs=120)
    assert found["test"] == pytest.approx(2_000, abs=160)


def test_another_set_is_split_another_way():
    groups = [str(n) for n in range(100)]
    first, second = ([split.part(name, g) for g in groups] for name in ("one", "two"))
    assert first != second


def test_groups_hold_together():
    row = {"id": "seq-v2/Travel/003/01", "path": ["a", "b"], "request": " Find\n AN inn "}
    assert split.by_id(row) == "seq-v2/Travel/003/01"
    assert split.by_trajectory(row) == "seq-v2/Travel/003"
    assert split.by_path(row) == "a|b"
    assert split.by_request(row) == "find an inn"
    rows = [{"id": f"par/Travel/{n:03}/{kind}"} for n in range(50) for kind in ("hard", "simple")]
    found = split.assign("x", rows, split.by_trajectory)
    assert [r["split"] for r in found[::2]] == [r["split"] for r in found[1::2]]
    assert len({r["split"] for r in found}) == 3
    assert "split" not in rows[0]


@pytest.mark.parametrize("name", [name for name, one in BENCHMARKS.items() if one.reported])
def test_the_rule_gives_the_splits_of_the_public_sets(name):
    file = SHARED / name / "episodes.jsonl.gz"
    if not file.is_file():
        pytest.skip(f"{file} is not here")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    again = split.assign(name, rows, BENCHMARKS[name].group)
    assert [row["split"] for row in again] == [row["split"] for row in rows]
    print(name, Counter(row["split"] for row in rows))
