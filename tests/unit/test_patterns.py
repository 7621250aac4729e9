"""No text makes a regular expression take the square of its length, which holds everybody up."""

import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Callable

import pytest

import spm.registry
import spm.service
from spm.registry.request.clauses import clauses, without_gaps
from spm.registry.request.tokenizer import _token, tokens
from spm.registry.request.value_reader import _token as _value_token
from spm.registry.search.bm25 import terms

LONG = 6_000
# What a text repeats. A request has up to 20,000 characters of any kind.
KINDS = (
    " ", "\t", " \n", "\n", "\u00a0", "\r\n", "7", "123,", "1.", "1-", "0a-", "a", "A", "aB", "a ",
    "word ", "and ", " then", "after ", "'", '"', "'a ", "`", ".", ", ", "?!", "-", "_", "/", "\\",
    "a@", "a.", "+1 ", "(0", "{", "$", "$1.", "Mon 3 ", "a1_-.", "é", "搜。", "🎉",
)  # fmt: skip


def seconds(work: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    work(text)
    return time.process_time() - start


def explodes(work: Callable[[str], object], kind: str) -> bool:
    """Whether twice the text takes far more than twice the time, by ratio: machines differ."""
    text = ("x" + kind * LONG)[:LONG]
    if seconds(work, text) < 0.02:  # too little to compare, and to matter at any length allowed
        return False
    half = min(seconds(work, text[: LONG // 2]) for _ in range(5))
    return min(seconds(work, text) for _ in range(3)) > 3 * half


def patterns() -> dict[str, re.Pattern[str]]:
    """All compiled expressions of the modules that a request goes through."""
    found = {
        "spm.registry.request.tokenizer._token": _token(),
        "spm.registry.request.value_reader._token": _value_token(),
    }
    for package in (spm.registry, spm.service):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, re.Pattern):
                    found[f"{module.name}.{name}"] = value
    return found


def applied(name: str, pattern: re.Pattern[str]) -> Callable[[str], object]:
    """The way in which its module uses an expression: only searching begins at every character."""
    module, _, short = name.rpartition(".")
    source = inspect.getsource(importlib.import_module(module))
    ways = set(re.findall(rf"\b{short}\.(\w+)\(", source))
    return pattern.fullmatch if ways and ways <= {"match", "fullmatch"} else pattern.findall


def test_no_expression_explodes():
    known = patterns()
    assert len(known) > 30
    works = {name: applied(name, pattern) for name, pattern in known.items()}
    assert [
        (name, kind) for name, work in works.items() for kind in KINDS if explodes(work, kind)
    ] == []


@pytest.mark.parametrize("work", [without_gaps, clauses, tokens, terms])
def test_nothing_that_reads_a_request_explodes(work):
    assert [kind for kind in KINDS if explodes(work, kind)] == []


def test_an_expression_that_explodes_is_found():
    assert explodes(re.compile(r"\s+(?:and)\s+").findall, " ")
