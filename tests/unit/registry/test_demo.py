"""The demo library is what it says it is."""

from collections import Counter

from spm.registry import demo
from spm.registry.catalog.naming import fold


def test_the_demo_has_nine_services_and_a_hundred_tools():
    manifests = demo.manifests()
    assert len(manifests) == 9
    assert sum(len(m.tools) for m in manifests) == 100


def test_every_trajectory_calls_tools_of_the_demo():
    names = {tool.name for m in demo.manifests() for tool in m.tools}
    traces = list(demo.trajectories())
    assert len(traces) == 495
    assert {step.tool for trace in traces for step in trace.steps} <= names
    assert len({trace.identity() for trace in traces}) == 495


def test_tool_names_are_unambiguous():
    counted = Counter(fold(tool.name) for m in demo.manifests() for tool in m.tools)
    assert max(counted.values()) == 1


def test_the_request_is_not_among_the_trajectories():
    assert demo.REQUEST not in {trace.request for trace in demo.trajectories()}


def test_every_required_field_is_made_or_can_be_said():
    tools = [tool for m in demo.manifests() for tool in m.tools]
    made = {fold(o.name) for tool in tools for o in tool.outputs}
    needed = Counter(fold(i.name) for tool in tools for i in tool.inputs if i.required)
    assert {"order_id", "customer_id", "customer_email", "receipt_id"} <= made & set(needed)
