"""The stages of a menu are heard by whoever listens, and by nobody else."""

import threading

import pytest

from spm.registry.timing import listening, stage


def test_a_listener_hears_names_and_times_from_the_inside_out():
    heard = []
    with listening(lambda name, ms: heard.append((name, ms))), stage("outer"):
        with stage("inner"):
            sum(range(10_000))
    assert [name for name, _ in heard] == ["inner", "outer"]
    assert 0 < heard[0][1] < heard[1][1]


def test_nobody_hears_what_runs_before_after_or_in_another_thread():
    heard: list[str] = []
    with stage("before"):
        pass
    with listening(lambda name, _: heard.append(name)):
        other = threading.Thread(target=lambda: stage("elsewhere").__enter__())
        other.start()
        other.join()
    with stage("after"):
        pass
    assert heard == []


def test_a_stage_that_fails_is_heard_and_fails_on():
    heard: list[str] = []
    with pytest.raises(ValueError, match="so it is"):
        with listening(lambda name, _: heard.append(name)), stage("broken"):
            raise ValueError("so it is")
    assert heard == ["broken"]


def test_a_menu_tells_its_stages(shop):
    heard: dict[str, float] = {}
    with listening(lambda name, ms: heard.update({name: ms})):
        shop.menu("Refund order 991")
    assert list(heard) == [
        "encoding", "visible fields", "vector search", "search", "frontier",
        "networks and order", "explanation",
    ]  # fmt: skip
