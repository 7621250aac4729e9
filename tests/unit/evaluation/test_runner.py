"""Menus are built once for each content, survive a kill, and never see a gold path."""

import json
import multiprocessing
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from spm.evaluation.constructors import KNOWN
from spm.evaluation.digests import Digest, content, key
from spm.evaluation.menu_cache import Kept
from spm.evaluation.runner import code, fingerprint, run
from spm.gnn.arrays.library import Derived, Library
from spm.registry.errors import InputError
from tests.data.corpora import (
    SHOP,
    TASKS,
    TRACES,
    Straight,
    by_hand,
    corpus,
    library,
    question,
    task,
)

TEXTS = [one.question.text for one in TASKS]


def files(cache):
    return sorted((cache / "menus").rglob("*.jsonl"))


def test_every_task_gets_a_menu(tmp_path):
    found = run(corpus(), "straight", tmp_path)
    assert found.menus == [sorted(SHOP)] * len(TASKS)
    assert found.frontiers is None
    assert (found.built, len(found.ms)) == (len(TASKS), len(TASKS))
    assert found.fit_seconds >= 0
    assert min(found.ms) >= 0


def test_a_second_run_builds_nothing_and_fits_nothing(tmp_path):
    first = run(corpus(), "straight", tmp_path)
    assert (len(Straight.fitted), Straight.asked) == (1, TEXTS)
    again = run(corpus(), "straight", tmp_path)
    assert (len(Straight.fitted), Straight.asked) == (1, TEXTS)
    assert again == replace(first, built=0, fit_seconds=again.fit_seconds)
    assert again.fit_seconds == pytest.approx(first.fit_seconds, abs=1e-4)


def test_more_tasks_build_only_what_is_missing(tmp_path):
    run(corpus(tasks=TASKS[:2]), "straight", tmp_path)
    found = run(corpus(), "straight", tmp_path)
    assert found.built == 3
    assert Straight.asked == TEXTS
    assert len(files(tmp_path)) == 1


def test_a_killed_run_goes_on(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(corpus(), "stops", tmp_path)
    assert Straight.asked == TEXTS[:2]
    Straight.forget()
    with pytest.raises(KeyboardInterrupt):
        run(corpus(), "stops", tmp_path)
    assert Straight.asked == TEXTS[2:4]
    Straight.forget()
    assert run(corpus(), "stops", tmp_path).built == 1
    assert Straight.asked == TEXTS[4:]


def test_a_torn_line_is_built_again_wherever_it_was_torn(tmp_path):
    whole = run(corpus(), "turned", tmp_path)
    (file,) = files(tmp_path)
    raw = file.read_bytes()
    ends = [at for at, byte in enumerate(raw) if byte == ord("\n")]
    for cut in [0, 5, ends[0], ends[0] + 1, ends[2] - 3, ends[2], ends[2] + 1, len(raw) - 1]:
        file.write_bytes(raw[:cut])
        Straight.forget()
        found = run(corpus(), "turned", tmp_path)
        assert found.menus == whole.menus
        assert found.frontiers == whole.frontiers
        assert found.built == len(Straight.asked) == 5 - max(0, raw[:cut].count(b"\n") - 2)
        assert run(corpus(), "turned", tmp_path).built == 0
        assert [json.loads(line) for line in file.read_text().splitlines()]


def test_noise_in_the_middle_is_dropped_with_all_behind_it(tmp_path):
    run(corpus(), "straight", tmp_path)
    (file,) = files(tmp_path)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:4], b'{"q": "\x00\x00"}\n', *lines[4:]]))
    assert run(corpus(), "straight", tmp_path).built == 3


def test_a_file_made_for_something_else_is_begun_anew(tmp_path):
    run(corpus(), "straight", tmp_path)
    (file,) = files(tmp_path)
    text = file.read_text()
    head = json.loads(text.splitlines()[0])["for"]
    file.write_text(text.replace(head, head[::-1]))
    assert run(corpus(), "straight", tmp_path).built == len(TASKS)


# -- what decides a menu ------------------------------------------------------------------------


def test_other_content_is_never_served_from_the_cache(tmp_path):
    run(corpus(), "straight", tmp_path)
    contracts = {**SHOP, "shop/wait": (["city"], [])}
    others = [
        corpus(documents=[*sorted(SHOP)[:-1], "another text"]),
        corpus(library(contracts)),
        corpus(library(traces=TRACES[:-1])),
        corpus(library(traces=[*TRACES[:-1], (TRACES[-1][0], ["shop/wait"])])),
        replace(corpus(), judge=[]),
        replace(corpus(), encoder="other"),
    ]
    digests = {content(one) for one in [corpus(), *others]}
    assert len(digests) == len(others) + 1
    for other in others:
        assert run(other, "straight", tmp_path).built == len(TASKS)


INDEXES = {"texts", "request_texts"}  # made of texts that are content themselves


@pytest.mark.parametrize("name", sorted({f.name for f in fields(Library) if f.compare} - INDEXES))
def test_every_part_of_a_library_is_content(name):
    shelf = library()
    value = getattr(shelf, name)
    other: Any
    match value:
        case np.ndarray():
            other = value + 1
        case list():
            other = value[::-1] if len({*value}) > 1 else [*value, "more"]
        case dict():
            other = {**value, "more": "order"}
        case _:
            part = fields(value)[1].name
            other = replace(value, **{part: getattr(value, part)[::-1].copy()})
    said: dict[str, Any] = {name: other}
    changed = replace(corpus(), library=replace(shelf, **said))
    assert content(changed) != content(corpus())


def test_what_a_library_derives_is_no_content():
    shelf = library()
    derived = Derived(shelf.ways, shelf.spelled, shelf.leaders)
    known = replace(corpus(), library=replace(shelf, derived=derived))
    assert content(known) == content(corpus())


def test_a_question_is_known_by_all_it_says():
    one = question("a", "order")
    same = question("a", "order")
    assert key(one) == key(same)
    others = [
        question("b", "order"),
        question("a"),
        question("a", "mail"),
        replace(one, group=1),
        replace(one, vector=one.vector * 2),
        replace(one, vector=one.vector.astype(np.float64)),
    ]
    assert len({key(q) for q in [one, *others]}) == len(others) + 1
    assert key(question("a", "x", "y")) == key(question("a", "y", "x"))


def test_values_of_different_kinds_are_told_apart():
    def of(*values):
        found = Digest()
        for value in values:
            found.add(value)
        return found.hexdigest()

    values: list[Any] = [
        None,
        0,
        0.0,
        "",
        "0",
        False,
        [],
        [[]],
        {},
        {"a": 1},
        np.zeros(1),
        np.zeros((1, 1)),
    ]
    found = {of(value) for value in values} | {
        of("a", "b"),
        of("ab"),
        of(["a"], "b"),
        of(["a", "b"]),
    }
    assert len(found) == len(values) + 4
    with pytest.raises(TypeError, match="object"):
        of(object())


def test_gold_paths_are_shown_to_nobody_and_change_no_menu(tmp_path):
    first = run(corpus(), "straight", tmp_path)
    assert all(not seen.tasks for seen in Straight.fitted)
    other = [replace(one, path=["shop/wait"], edges=()) for one in TASKS]
    found = run(corpus(tasks=other), "straight", tmp_path)
    assert (found.built, found.menus) == (0, first.menus)


def test_another_version_or_constructor_has_menus_of_its_own(tmp_path, monkeypatch):
    run(corpus(), "straight", tmp_path)
    monkeypatch.setitem(KNOWN, "straight", by_hand("Straight", version=2))
    assert run(corpus(), "straight", tmp_path).built == len(TASKS)
    monkeypatch.setitem(KNOWN, "straight", by_hand("Turned", version=2))
    assert run(corpus(), "straight", tmp_path).built == len(TASKS)


def test_what_a_constructor_says_of_itself_decides_too(monkeypatch):
    before = fingerprint(corpus(), by_hand("Straight"))
    monkeypatch.setattr(Straight, "fingerprint", staticmethod(lambda: "model 2"), raising=False)
    assert fingerprint(corpus(), by_hand("Straight")) != before


def test_the_code_of_a_constructor_decides_too():
    found = code("spm.evaluation.baselines.text")
    assert "spm.evaluation.baselines.text" in found
    assert not [name for name in found if not name.startswith("spm.evaluation.baselines.")]
    assert set(code("tests.data.corpora")) == {"tests.data.corpora", "tests.data.frontiers"}


# -- constructors that do not keep to the rules, and others ------------------------------------


def test_a_frontier_is_kept_beside_the_menu(tmp_path):
    found = run(corpus(), "turned", tmp_path)
    assert found.frontiers == [sorted(SHOP)[:-1]] * len(TASKS)
    assert run(corpus(), "turned", tmp_path).frontiers == found.frontiers


@pytest.mark.parametrize(("name", "said"), [("invents", "unknown"), ("repeats", "twice")])
def test_menus_that_are_none_are_refused(tmp_path, name, said):
    with pytest.raises(ValueError, match=said):
        run(corpus(), name, tmp_path)


def test_an_unknown_name_names_the_nearest(tmp_path):
    with pytest.raises(InputError, match="straight"):
        run(corpus(), "strait", tmp_path)


def test_equal_requests_are_asked_once(tmp_path):
    twins = [task(["shop/wait"], name="same"), task(["shop/send"], name="same")]
    found = run(corpus(tasks=twins), "straight", tmp_path)
    assert len(Straight.asked) == 1
    assert len(found.menus) == 2


def test_a_cache_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "menus").write_text("")
    with pytest.raises(InputError, match="--cache"):
        run(corpus(), "straight", tmp_path)


def test_where_torch_computes_menus_are_asked_for_together(tmp_path, monkeypatch):
    passes = []

    def menus(self, questions):
        passes.append(len(questions))
        return [self.menu(question) for question in questions]

    alone = run(corpus(), "straight", tmp_path / "alone")
    monkeypatch.setattr(Straight, "menus", menus, raising=False)
    monkeypatch.setattr("spm.evaluation.runner.TOGETHER", 3)
    told = []
    assert run(corpus(), "straight", tmp_path / "numpy").menus == alone.menus
    assert passes == []  # there is nothing to gain, and each menu has a time of its own
    monkeypatch.setenv("SPM_RUNTIME", "torch")
    found = run(corpus(), "straight", tmp_path / "torch", lambda *said: told.append(said))
    assert (found.menus, found.built) == (alone.menus, alone.built)
    assert passes == [3, 2]
    assert told[1:] == [("straight: menus", 3, 5), ("straight: menus", 5, 5)]


def test_progress_is_told(tmp_path):
    told = []
    run(corpus(), "straight", tmp_path, lambda *said: told.append(said))
    assert told[0] == ("straight: fitting", 0, 0)
    assert told[1:] == [("straight: menus", at, 5) for at in range(1, 6)]


def _hold(file, ready, release):
    with Kept(file, "x", lambda: None):
        ready.set()
        release.wait(60)


def test_a_second_process_waits_for_the_first(tmp_path):
    context = multiprocessing.get_context("spawn")
    ready, release = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path / "f", ready, release))
    other.start()
    assert ready.wait(60)
    waited = []

    def waits():
        waited.append(True)
        release.set()

    with Kept(tmp_path / "f", "x", waits) as kept:
        assert kept.built == {}
    other.join()
    assert waited == [True]
