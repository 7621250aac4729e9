"""`python -m benchmarks dataset`: a benchmark as it was published becomes a data set."""

import json

import pytest

from spm.evaluation.datasets import read


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


def test_an_imported_benchmark_can_be_read(benchmarks, checkout, tmp_path):
    out = tmp_path / "toollinkos"
    done = benchmarks("dataset", "import", "auto", checkout, "--out", out)
    assert done.code == 0
    assert "toollinkos: 3 tools, 9 episodes" in done.out
    assert "not the same as those that figures are reported on" in done.out
    assert f"spm dataset load {out}" in " ".join(done.out.split())
    assert "Left out, because a tool of the path is not documented: 1" in done.err
    data = read(out)
    assert len(data.manifest.tools) == 3
    assert data.part("train")[0].path[0] == "toollinkos/login"


def test_what_was_imported_as_json(benchmarks, checkout, tmp_path):
    out = tmp_path / "out"
    found = benchmarks("dataset", "import", "toollinkos", checkout, "--out", out, "--json").json
    assert (found["benchmark"], found["tools"], found["as_reported"]) == ("toollinkos", 3, False)
    assert sum(found["episodes"].values()) == 9
    assert found["dropped"] == {"a tool of the path is not documented": 1}


def test_what_cannot_be_imported_is_refused(benchmarks, checkout, tmp_path):
    again = benchmarks("dataset", "import", "toollinkos", checkout, "--out", checkout)
    assert (again.code, "already there" in again.err) == (1, True)
    unknown = benchmarks("dataset", "import", "toolinkos", checkout, "--out", tmp_path / "out")
    assert (unknown.code, "toollinkos" in unknown.err) == (1, True)
    other = benchmarks("dataset", "import", "nestful", checkout, "--out", tmp_path / "out")
    assert other.code == 1
    assert "https://github.com/IBM/NESTFUL" in other.err
    assert benchmarks("dataset", "import", "auto", checkout).code == 2
    assert not (tmp_path / "out").exists()
