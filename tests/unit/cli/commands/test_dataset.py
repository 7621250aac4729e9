"""`spm dataset`: a folder in the data format, into a registry and as golden requests."""

import pytest

from tests.data.data_sets import write


@pytest.fixture
def folder(tmp_path):
    """Two tools, two episodes that teach, one that chooses, one of a tool that is not there."""
    (folder := tmp_path / "shop").mkdir()
    tool = {"family": "", "inputs": [], "outputs": []}
    write(
        folder / "tools.jsonl.gz",
        [{**tool, "name": name, "description": f"Does {name}."} for name in ("pay", "ship")],
    )
    paths = {"a/1": "train", "a/2": "train", "b/1": "valid", "b/2": "train"}
    write(
        folder / "episodes.jsonl.gz",
        [
            {"id": id_, "request": f"Request {id_}", "state": ["order"], "edges": [],
             "path": ["fly"] if id_ == "b/2" else ["pay", "ship"], "split": split}
            for id_, split in paths.items()
        ],
    )  # fmt: skip
    return folder


def test_one_split_becomes_trajectories(spm, folder, tmp_path):
    done = spm("dataset", "load", folder, "--split", "train", "--store", tmp_path / "s", "--json")
    assert done.json == {"tools": 2, "trajectories": 2}
    assert "1 episodes use a tool that is not documented" in done.err


def test_one_split_becomes_golden_requests(spm, folder):
    golden = spm("dataset", "golden", folder, "--json").json
    assert golden == [
        {"request": "Request b/1", "path": ["shop/pay", "shop/ship"], "state": ["order"]}
    ]
    assert len(spm("dataset", "golden", folder, "--split", "train").out.splitlines()) == 2
    assert spm("dataset", "golden", folder, "--prefix", "none").out == ""
