"""`spm check` and `spm diff`: gates with exit codes, for people and for CI."""

import json
from typing import Any

import pytest

from spm.registry import demo

PATH = ["lookup_order", "create_receipt", "get_customer_email", "send_email_receipt"]
GOLDEN: list[dict[str, Any]] = [
    {"request": demo.REQUEST, "path": PATH, "chain": False},
    {"request": "Where is the parcel of order 77?", "path": ["find_shipment"]},
    {"request": "Cancel it", "state": ["order_id"], "path": ["cancel_order"]},
]


@pytest.fixture
def golden(tmp_path):
    file = tmp_path / "golden.jsonl"
    file.write_text("\n".join(map(json.dumps, GOLDEN)) + "\n")
    return file


# -- check -------------------------------------------------------------------------------------


def test_golden_requests_are_measured(in_shop, golden):
    done = in_shop("check", golden, "--json")
    assert done.code == 0
    assert done.json["passed"] is True
    assert done.json["means"]["chain"] == 1.0
    assert [r["request"] for r in done.json["results"]] == [g["request"] for g in GOLDEN]
    assert done.json["results"][0]["order"] is None
    shown = in_shop("check", golden)
    assert "3 golden requests" in shown.out
    assert "chain in the menu   1.0000" in shown.out


def test_a_chain_that_is_not_complete_fails_and_is_named(in_shop, golden):
    with golden.open("a") as file:
        file.write('{"request": "Fly to the moon", "path": ["lookup_order", "launch_rocket"]}\n')
    done = in_shop("check", golden)
    assert done.code == 1
    assert "launch_rocket (not in the" in done.out
    assert "Failed: chain is 0.7500, less than 1." in done.err
    assert in_shop("check", golden, "--min-chain", 0.7).code == 0
    assert in_shop("check", golden, "--min-first", 1).code == 1
    assert in_shop("check", golden, "--min-order", "2").code == 2


def test_a_worse_menu_fails_against_its_baseline(spm, golden, shop_copy, tmp_path):
    baseline = tmp_path / "baseline.json"
    made = spm("check", golden, "--store", shop_copy, "--write-baseline", baseline)
    assert (made.code, "Baseline written" in made.err) == (0, True)
    assert spm("check", golden, "--store", shop_copy, "--baseline", baseline).code == 0
    assert spm("tools", "deprecate", "create_receipt", "--store", shop_copy).code == 0
    done = spm("check", golden, "--store", shop_copy, "--baseline", baseline, "--json")
    assert done.code == 1
    (worse,) = done.json["regressed"]
    assert worse["request"] == demo.REQUEST
    assert worse["measures"] == ["chain"]
    assert worse["missing"] == ["payments/create_receipt"]
    shown = spm("check", golden, "--store", shop_copy, "--baseline", baseline)
    assert "Fare worse than in the baseline: 1" in shown.out
    assert "Failed: chain is 0.6667, less than 1 in the baseline." in shown.err


def test_a_tool_that_was_removed_is_a_regression_too(spm, golden, shop_copy, tmp_path):
    baseline = tmp_path / "baseline.json"
    spm("check", golden, "--store", shop_copy, "--write-baseline", baseline)
    spm("tools", "remove", "find_shipment", "--force", "--store", shop_copy)
    done = spm("check", golden, "--store", shop_copy, "--baseline", baseline, "--json")
    assert done.code == 1
    assert [r["missing"] for r in done.json["regressed"]] == [["find_shipment"]]


def test_baselines_of_another_size_and_files_that_are_none_are_refused(in_shop, golden, tmp_path):
    baseline = tmp_path / "baseline.json"
    in_shop("check", golden, "--write-baseline", baseline)
    other = in_shop("check", golden, "--baseline", baseline, "-k", 16)
    assert other.code == 2
    assert "-k 32" in other.err
    assert in_shop("check", golden, "--strict").code == 2
    assert "is no baseline" in in_shop("check", golden, "--baseline", golden).err
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n")
    assert "has no golden request" in in_shop("check", empty).err
    assert "Cannot read" in in_shop("check", tmp_path / "none").err


# -- diff --------------------------------------------------------------------------------------


@pytest.fixture
def locked(spm, shop_copy, tmp_path):
    """A lock, and a way to compare it with the shop that a test may change."""
    lock = tmp_path / "menu.lock"
    done = spm("menu", demo.REQUEST, "--store", shop_copy, "--lock", lock, "-k", 8)
    assert f"Lock written to {lock}" in done.err

    def diff(*more):
        return spm("diff", lock, "--store", shop_copy, *more)

    return diff


def test_the_same_menu_ends_with_0(locked):
    done = locked()
    assert (done.code, done.out) == (0, "The menu is the same.\n")
    assert locked("--json").json["same"] is True


def test_another_menu_ends_with_1_and_says_why(locked, spm, shop_copy):
    deprecated = spm("tools", "deprecate", "create_receipt", "--store", shop_copy)
    assert deprecated.code == 0
    done = locked()
    assert done.code == 1
    assert "Gone from the menu: payments/create_receipt" in done.out
    assert "payments/create_receipt: It is deprecated now." in done.out
    found = locked("--json").json
    assert found["same"] is False
    assert {"kind": "status", "tool": "payments/create_receipt"}.items() <= (
        found["causes"][0].items()
    )


def test_more_traces_alone_are_told_and_end_with_0(locked, spm, shop_copy, tmp_path):
    traces = tmp_path / "t.jsonl"
    traces.write_text('{"request": "Book a room for Ann", "steps": ["book_meeting_room"]}\n')
    assert spm("traces", "import", traces, "--store", shop_copy).code == 0
    done = locked()
    assert done.code == 0
    assert "The menu is the same." in done.out
    assert "Trajectories 495 → 496" in done.out


def test_a_lock_remembers_how_the_menu_was_cut(spm, shop_copy, tmp_path):
    lock = tmp_path / "menu.lock"
    how = ["--token-budget", 700, "--aliases", "--format", "mcp", "--read-only", "--as", "shop"]
    spm("menu", demo.REQUEST, "--store", shop_copy, "--lock", lock, *how)
    assert 1 < len(json.loads(lock.read_text())["items"]) < 32
    assert spm("diff", lock, "--store", shop_copy).code == 0


def test_what_is_no_lock_is_refused(spm, tmp_path):
    file = tmp_path / "x"
    file.write_text("{}")
    done = spm("diff", file)
    assert (done.code, done.out) == (1, "")
    assert "is no menu lock" in done.err
