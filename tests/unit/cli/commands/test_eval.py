"""`spm eval` as a user runs it: on the demo's own trajectories and on a folder."""

import gzip
import json
import shutil

import pytest

from spm.cli.commands.eval import DEFAULTS, WITHOUT_TRACES
from spm.evaluation.constructors import KNOWN
from spm.registry import demo
from spm.registry.registry import Registry
from tests.data.corpora import Straight, by_hand

FEW = ("--limit", "12")


@pytest.fixture(autouse=True)
def _by_hand(monkeypatch):
    for name in ("Straight", "Turned", "Needy"):
        monkeypatch.setitem(KNOWN, name.lower(), by_hand(name))
    Straight.forget()


@pytest.fixture(scope="module")
def small(tmp_path_factory, encoder):
    """The demo's tools with some of its trajectories; and a cache for all tests."""
    folder = tmp_path_factory.mktemp("eval")
    with Registry.open(str(folder / "store")) as registry:
        for manifest in demo.manifests():
            registry.register(manifest)
        registry.import_traces(list(demo.trajectories())[::5])
        registry.encode(encoder)
    return folder


@pytest.fixture
def evaluated(spm, small):
    """Run spm eval on the small registry, with a cache that all tests share."""

    def run(*arguments, cache=small / "cache"):
        return spm("eval", "--store", small / "store", "--cache", cache, *arguments)

    return run


def test_the_demo_is_measured_from_end_to_end(evaluated, tmp_path):
    html = tmp_path / "report.html"
    names = ("--with", "dense", "--with", "straight")
    done = evaluated(*names, "--shares", "0,0.5,1", "--html", html, "--json")
    assert done.code == 0
    assert f"Report written to {html}" in done.err
    said = done.json
    assert [one["name"] for one in said["constructors"]] == ["dense", "straight"]
    assert said["against"] == "dense"
    assert said["corpus"]["encoder"] == "all-MiniLM-L6-v2"
    tasks = said["corpus"]["tasks"]
    assert tasks == len(said["requests"]) >= 10
    # by text three of four tools are found, by the alphabet one of three: there are a hundred
    dense, straight = (said["all"]["means"][name]["recall@32"] for name in ("dense", "straight"))
    assert dense["low"] <= dense["mean"] <= dense["high"]
    assert dense["mean"] > 0.6 > straight["mean"]
    apart = said["all"]["differences"]["straight"]["recall@32"]
    assert apart["mean"] == pytest.approx(straight["mean"] - dense["mean"], abs=2e-4)
    assert apart["high"] < 0
    assert [one["share"] for one in said["shares"]] == [0, 0.5, 1]
    assert said["shares"][0]["trajectories"] == 0
    assert sum(part["count"] for part in said["parts"]["length"].values()) == tasks
    assert html.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_table_fits_a_terminal(evaluated):
    names = [part for name in ("dense", "straight", "turned", "needy") for part in ("--with", name)]
    done = evaluated(*names, *FEW, "--shares", "0,1")
    assert done.code == 0
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "12 requests, 98 tools," in lines[0]  # two of a hundred are deprecated
    for row in ("Chain@5 ", "Chain@32", "First@1", "Ordered prefix", "Executable share", "MRR",
                "Replay success", "Frontier ceiling", "ms a menu, p50 (p95)"):  # fmt: skip
        assert [line for line in lines if line.startswith(row)], row
    assert "Paired differences to dense" in done.out
    assert "Chain@32 by share of the trajectories" in done.out
    assert "made by no tool (they count as known)" in done.out
    assert "needy at 0 %: No trajectory to learn from." in done.err


def test_a_second_run_builds_nothing_and_says_the_same(evaluated, tmp_path):
    html = [tmp_path / "a.html", tmp_path / "b.html"]
    run = [evaluated("--with", "straight", "--with", "turned", *FEW, "--html", file, "--json",
                     cache=tmp_path) for file in html]  # fmt: skip
    assert len(Straight.asked) == 2 * 12
    assert run[0].json == run[1].json
    assert html[0].read_bytes() == html[1].read_bytes()


def test_a_run_that_was_cut_goes_on(evaluated, tmp_path):
    evaluated("--with", "straight", *FEW, cache=tmp_path)
    (file,) = (tmp_path / "menus").rglob("*.jsonl")
    raw = file.read_bytes()
    file.write_bytes(raw[: len(raw) // 2])
    whole = raw[: len(raw) // 2].count(b"\n") - 2  # the head and the line of fitting
    Straight.forget()
    assert evaluated("--with", "straight", *FEW, cache=tmp_path).code == 0
    assert 0 < len(Straight.asked) == 12 - whole
    Straight.forget()
    evaluated("--with", "straight", cache=tmp_path)  # all requests: twelve are there
    tasks = len((tmp_path / "menus").rglob("*.jsonl").__next__().read_text().splitlines()) - 2
    assert len(Straight.asked) == tasks - 12


def test_a_changed_registry_is_evaluated_anew(spm, small, tmp_path):
    store = shutil.copytree(small / "store", tmp_path / "store")

    def run():
        Straight.forget()
        where = ("--store", store, "--cache", tmp_path)
        done = spm("eval", *where, "--with", "straight", "--limit", 5, "--json")
        return done.json["requests"][0], len(Straight.asked)

    first, built = run()
    assert built == 5
    assert run() == (first, 0)
    assert spm("tools", "deprecate", "book_meeting_room", "--store", store).code == 0
    second, built = run()
    assert built > 0
    assert "calendar/book_meeting_room" in first["menus"]["straight"]
    assert "calendar/book_meeting_room" not in second["menus"]["straight"]


def test_differences_are_taken_to_whom_one_says(evaluated):
    done = evaluated("--with", "straight", *FEW, "--against", "dense", "--json")
    assert done.json["against"] == "dense"
    assert list(done.json["all"]["differences"]) == ["straight"]


def test_without_names_the_usual_ones_are_compared(evaluated, monkeypatch):
    for name in (*DEFAULTS, *WITHOUT_TRACES):  # real ones would learn for minutes
        monkeypatch.setitem(KNOWN, name, by_hand("Straight"))
    done = evaluated(*FEW, "--json")
    assert [one["name"] for one in done.json["constructors"]] == list(DEFAULTS)
    assert done.json["against"] == "learned"
    monkeypatch.delitem(KNOWN, "learned")
    assert evaluated(*FEW, "--json").json["against"] == "vote"


def test_constructors_are_listed(spm):
    done = spm("eval", "--list")
    assert done.code == 0
    assert "straight   " in done.out
    assert "Made by hand: Turned." in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert spm("eval", "--list", "--json").json["needy"]["about"] == "Made by hand: Needy."


def test_a_folder_in_the_data_format_is_measured(spm, tmp_path):
    def write(name, rows):
        with gzip.open(tmp_path / name, "wt", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in rows)

    tools = [
        {"name": f"tool_{n}", "description": f"Does thing {n}", "family": "", "inputs": [],
         "outputs": []}
        for n in range(6)
    ]  # fmt: skip
    write("tools.jsonl.gz", tools)
    said = {"state": [], "path": ["tool_1", "tool_2"], "edges": [["tool_1", "tool_2"]]}
    write(
        "episodes.jsonl.gz",
        [
            {**said, "id": "a/1", "request": "Do things one and two", "split": "train"},
            {**said, "id": "a/2", "request": "Do thing 1 and thing 2", "split": "test"},
            {**said, "id": "b/3", "request": "Thing 2 after thing 1", "split": "test"},
            {**said, "id": "b/4", "request": "Thing 4", "split": "valid", "path": ["tool_4"]},
            {**said, "id": "b/5", "request": "Thing 9", "split": "test", "path": ["tool_9"]},
        ],
    )
    where = ("eval", tmp_path, "--cache", tmp_path / "cache", "--with", "dense", "--json")
    done = spm(*where)
    assert "1 episodes use a tool that is not documented" in done.err
    assert done.json["corpus"]["tasks"] == 2
    assert done.json["all"]["means"]["dense"]["chain@8"]["mean"] == 1
    assert done.json["all"]["means"]["dense"]["edges"]["count"] == 2
    assert set(done.json["parts"]["kind"]) == {"a", "b"}
    assert spm(*where, "--prefix", "b").json["corpus"]["tasks"] == 1
    # What is read of a folder: some episodes, less documentation, wrong traces, its graph.
    assert (
        spm(*where, "--only", "b").json["corpus"]["trajectories"]
        < (done.json["corpus"]["trajectories"])
    )
    digests = {
        spm(*where, *how).json["corpus"]["digest"]
        for how in ((), ("--documents", "names"), ("--corrupt", 1))
    }
    assert len(digests) == 3
    assert "has no graph" in spm(*where, "--graph").err
    valid = spm(*where, "--split", "valid").json
    assert [one["id"] for one in valid["requests"]] == ["b/4"]
    again = spm("eval", tmp_path, "--store", tmp_path, "--with", "dense")
    assert (again.code, "not both" in again.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--with", "dens"), "Did you mean dense?"),
        (("--shares", "2"), "'2' is no share"),
        (("--prefix", "nothing/"), "ids begin like"),
        (("--html", "no/such/folder/x.html", *FEW, "--with", "dense"), "Cannot write"),
    ],
)
def test_what_cannot_be_done_is_said(evaluated, arguments, said):
    done = evaluated(*arguments)
    assert (done.code, done.out) == (1, "")
    assert said in done.err


def test_what_is_for_folders_is_refused_without_one(spm, tmp_path):
    done = spm("eval", "--graph", "--store", tmp_path / "empty", "--cache", tmp_path)
    assert (done.code, "are for folders" in done.err) == (2, True)


def test_a_registry_without_trajectories_says_what_comes_next(spm, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    done = spm("eval", "--cache", tmp_path)
    assert done.code == 1
    assert "spm traces import" in done.err
    assert "spm eval FOLDER" in done.err
