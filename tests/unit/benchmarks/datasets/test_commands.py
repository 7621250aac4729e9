"""`spm dataset`: import a benchmark as it was published, then load it."""

import json

import pytest


@pytest.fixture
def checkout(tmp_path):
    """ToolLinkOS in its layout, with three tools and ten requests."""
    folder = tmp_path / "checkout" / "toollinkos"
    folder.mkdir(parents=True)

    def tool(name, *needs):
        links = [{"name": need, "dependence_type": "TOOL_DIRECTLY_DEPENDS_ON"} for need in needs]
        return {"name": name, "description": name, "parameters": [], "depends_on": links}

    def request(number, *names):
        return {"user_query": f"Request {number}", "golden_function_names": names}

    tools = [tool("pay", "login"), tool("ship", "pay", "login")]
    asked = [request(n, "pay", "login") for n in range(5)]
    asked += [request(n, "ship", "pay", "login") for n in range(5, 9)] + [request(9, "fly")]
    for name, content in {
        "regular_tools": tools, "core_tools": [tool("login")], "instances": asked,
    }.items():  # fmt: skip
        (folder / f"{name}.json").write_text(json.dumps(content))
    return tmp_path / "checkout"


def test_an_imported_benchmark_can_be_loaded(spm, checkout, tmp_path):
    out = tmp_path / "toollinkos"
    done = spm("dataset", "import", "auto", checkout, "--out", out)
    assert done.code == 0
    assert "toollinkos: 3 tools, 9 episodes" in done.out
    assert "not the same as those that figures are reported on" in done.out
    assert f"spm dataset load {out}" in " ".join(done.out.split())
    assert "Left out, because a tool of the path is not documented: 1" in done.err
    found = spm("dataset", "load", out, "--split", "train", "--store", tmp_path / "s", "--json")
    assert found.json["tools"] == 3
    golden = spm("dataset", "golden", out, "--split", "train", "--json").json
    assert found.json["trajectories"] == len(golden) > 0
    assert golden[0]["path"][0] == "toollinkos/login"


def test_what_was_imported_as_json(spm, checkout, tmp_path):
    out = tmp_path / "out"
    found = spm("dataset", "import", "toollinkos", checkout, "--out", out, "--json").json
    assert (found["benchmark"], found["tools"], found["as_reported"]) == ("toollinkos", 3, False)
    assert sum(found["episodes"].values()) == 9
    assert found["dropped"] == {"a tool of the path is not documented": 1}


def test_what_cannot_be_imported_is_refused(spm, checkout, tmp_path):
    again = spm("dataset", "import", "toollinkos", checkout, "--out", checkout)
    assert (again.code, "already there" in again.err) == (1, True)
    unknown = spm("dataset", "import", "toolinkos", checkout, "--out", tmp_path / "out")
    assert (unknown.code, "toollinkos" in unknown.err) == (1, True)
    other = spm("dataset", "import", "nestful", checkout, "--out", tmp_path / "out")
    assert other.code == 1
    assert "https://github.com/IBM/NESTFUL" in other.err
    assert spm("dataset", "import", "auto", checkout).code == 2
    assert not (tmp_path / "out").exists()


def test_names_are_offered_to_the_shell():
    from spm.cli.dataset import complete_benchmark

    assert complete_benchmark("toolbench") == [
        "toolbench_g3", "toolbench", "toolbench_rel", "toolbench_traj",
    ]  # fmt: skip
    assert "auto" in complete_benchmark("")
