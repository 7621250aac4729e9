"""The list of campaigns for people is that of the code, and the tests that it names exist."""

import re
from pathlib import Path

from tests.support.campaigns import CAMPAIGNS, size

TESTS = Path(__file__).parents[1]
ROW = re.compile(r"^\| `(\w+)` \| ([\d,]+) \| ([\d,]+) \| (.+?) \| .+ \|$", re.MULTILINE)


def rows() -> list[tuple[str, int, int, str]]:
    text = (TESTS / "README.md").read_text(encoding="utf-8")
    return [
        (name, int(sample.replace(",", "")), int(whole.replace(",", "")), where)
        for name, sample, whole, where in ROW.findall(text)
    ]


def test_every_campaign_is_listed_with_its_sizes():
    assert {name: (sample, whole) for name, sample, whole, _ in rows()} == CAMPAIGNS


def test_the_tests_that_are_listed_exist():
    for name, *_, where in rows():
        named = re.findall(r"`([\w/]+\.py)?(?:::(\w+))?`", where)
        source = ""
        for file, function in named:  # one without a file is of the file before it
            source = (TESTS.parent / file).read_text(encoding="utf-8") if file else source
            assert f"def {function or 'test_'}" in source, (name, function)
        assert source, name


def test_a_size_is_set_for_one_or_for_all(monkeypatch):
    monkeypatch.delenv("SPM_TEST_STRESS", raising=False)
    monkeypatch.delenv("SPM_TEST_FUZZ", raising=False)
    assert size("fuzz") == CAMPAIGNS["fuzz"].sample
    monkeypatch.setenv("SPM_TEST_STRESS", "1")
    assert size("fuzz") == CAMPAIGNS["fuzz"].whole
    monkeypatch.setenv("SPM_TEST_FUZZ", "7")
    assert (size("fuzz"), size("experiments")) == (7, CAMPAIGNS["experiments"].whole)
