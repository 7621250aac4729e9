"""Generated libraries: the same for the same seed, of the size asked for, and loadable."""

import pytest

from benchmarks.speed import generator
from benchmarks.speed.ingest import measure


def test_the_same_seed_makes_the_same_library():
    assert list(generator.manifests(50)) == list(generator.manifests(50))
    assert list(generator.traces(50, 20)) == list(generator.traces(50, 20))
    assert list(generator.manifests(50, seed=1)) != list(generator.manifests(50, seed=2))
    assert list(generator.traces(50, 20, seed=1)) != list(generator.traces(50, 20, seed=2))


def test_a_library_is_as_large_as_asked_for_in_services_of_2000():
    made = list(generator.manifests(2_001))
    assert [len(manifest.tools) for manifest in made] == [2_000, 1]
    assert [manifest.service.name for manifest in made] == ["service0", "service1"]


def test_traces_call_tools_of_the_library():
    names = [tool.name for manifest in generator.manifests(40) for tool in manifest.tools]
    assert names == generator.tool_names(40)
    traces = list(generator.traces(40, 30, length=4))
    assert len({trace.trace_id for trace in traces}) == 30
    assert {len(trace.steps) for trace in traces} == {4}
    assert {step.tool for trace in traces for step in trace.steps} <= set(names)


def test_tools_need_and_give_something():
    (manifest,) = generator.manifests(200)
    assert all(tool.inputs for tool in manifest.tools)
    assert sum(bool(tool.outputs) for tool in manifest.tools) > 150
    assert {spec.required for tool in manifest.tools for spec in tool.inputs} == {True, False}


def test_loading_is_measured(registry):
    heard = []
    found = measure(registry, 60, 25, lambda *said: heard.append(said))
    assert (found.engine, found.tools, found.trajectories) == ("embedded", 60, 25)
    assert found.transitions == registry.status()["transitions"] > 25
    assert found.tools_per_second == pytest.approx(60 / found.register_seconds)
    # six steps a trajectory, so five transitions, however often each was seen before
    assert found.transitions_per_second == pytest.approx(25 * 5 / found.import_seconds)
    assert found.again_ratio == pytest.approx(found.register_seconds / found.again_seconds)
    assert heard
    assert registry.status()["versions"] == 60  # the second time nothing was written
