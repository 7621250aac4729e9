"""`spm doctor --invariants`: what is printed, and the exit code."""

import json

from spm.registry.invariants import checks
from spm.registry.invariants.violation import Violation


def test_invariants_hold_on_the_demo(in_shop):
    done = in_shop("doctor", "--invariants", "--requests", "6")
    assert done.code == 0, done.out
    assert "ok" in done.out
    for name in ("reading", "destroying", "wording", "supplies", "dependencies"):
        assert name in done.out
    assert "WRONG" not in done.out


def test_without_the_option_no_menu_is_built(in_shop):
    found = json.loads(in_shop("doctor", "--json").out)
    assert "invariants" not in found


def test_a_violation_is_shown_and_exits_with_1(in_shop, monkeypatch):
    def bad(routed):
        """Nothing is ever wrong."""
        for request, _ in routed:
            yield Violation(request.text, "nothing", "desk/purge_ticket (destructive)")

    monkeypatch.setattr(checks, "changed_by_reading", bad)
    done = in_shop("doctor", "--invariants", "--requests", "12")
    assert done.code == 1
    assert "WRONG" in done.out
    assert "purge_ticket" in done.out
    assert "… and 2 more; see them with --json" in done.out
    told = in_shop("doctor", "--invariants", "--requests", "2", "--json")
    assert told.code == 1
    reading = json.loads(told.out)["invariants"][0]
    assert (reading["name"], reading["says"]) == ("reading", "Nothing is ever wrong.")
    assert set(reading["violations"][0]) == {"subject", "expected", "got"}
