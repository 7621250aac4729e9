"""Folders in the data format: with their own graph, and several as one library."""

from typing import Any

import pytest

from spm.evaluation.datasets import linked, read, united
from spm.registry.errors import InputError
from tests.data.data_sets import write


def tool(name: str, description: str = "") -> dict[str, Any]:
    inputs = [{"name": "id", "type": "str", "required": True}]
    said = {"description": description or f"Does {name}.", "family": ""}
    return {"name": name, **said, "inputs": inputs, "outputs": []}


def episode(name: str, request: str, path: list[str], split: str = "train") -> dict[str, Any]:
    edges = [path[:2]] if len(path) > 1 else []
    said = {"id": name, "request": request, "path": path, "edges": edges}
    return {**said, "state": [], "split": split}


@pytest.fixture
def folder(tmp_path):
    (first := tmp_path / "first").mkdir()
    write(first / "tools.jsonl.gz", [tool("look up"), tool("check"), tool("send")])
    rows = [episode("a/1", "send it", ["look up", "check", "send"]), episode("b/1", "look", ["?"])]
    write(first / "episodes.jsonl.gz", rows)
    return first


def test_edges_and_what_is_left_out(folder):
    data = read(folder)
    assert [one.id for one in data.episodes] == ["a/1"]
    assert data.dropped == 1
    assert data.episodes[0].edges == (("first/look up", "first/check"),)
    assert read(folder, "b/").episodes == []


def test_a_graph_becomes_fields_that_meet(folder):
    links = [
        {"from": "look up", "to": "send"},
        {"from": "check", "to": "send"},
        {"from": "look up", "to": "check"},
        {"from": "send", "to": "send"},
        {"from": "nobody", "to": "send"},
    ]
    write(folder / "graph.jsonl.gz", links)
    tools = {one.name: one for one in linked(read(folder), folder).manifest.tools}
    needs = {name: [one.name for one in spec.inputs] for name, spec in tools.items()}
    assert needs == {
        "look up": ["id"],
        "check": ["id", "look up done"],
        "send": ["id", "check done", "look up done"],
    }
    gives = {name: [one.name for one in spec.outputs] for name, spec in tools.items()}
    assert gives == {"look up": ["look up done"], "check": ["check done"], "send": []}


def test_a_folder_without_a_graph_says_so(folder):
    with pytest.raises(InputError, match=r"has no graph: neither graph\.jsonl\.gz nor links"):
        linked(read(folder), folder)


def test_equal_tools_and_requests_count_once(folder, tmp_path):
    (second := tmp_path / "second").mkdir()
    write(second / "tools.jsonl.gz", [tool("check"), tool("send", "Sends parcels."), tool("new")])
    rows = [
        episode("c/1", "send it", ["send"], "test"),  # asked already
        episode("c/2", "check and send", ["check", "send"], "test"),
    ]
    write(second / "episodes.jsonl.gz", rows)
    first, other = united([read(folder), read(second)])
    assert first == read(folder)
    assert [one.name for one in other.manifest.tools] == ["send", "new"]
    assert [one.id for one in other.episodes] == ["c/2"]
    assert other.episodes[0].path == ["first/check", "second/send"]
    assert other.episodes[0].edges == (("first/check", "second/send"),)
