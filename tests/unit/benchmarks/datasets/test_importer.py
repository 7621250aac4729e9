"""Importing: the same bytes each time, the whole folder or none, and errors that help."""

import gzip
import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from benchmarks.datasets import folder_writer
from benchmarks.datasets.catalogue import BENCHMARKS
from benchmarks.datasets.importer import detect, import_benchmark, named
from benchmarks.speed.workers import environment
from spm.evaluation.datasets import read
from spm.registry.errors import InputError


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def refusal(name, source, out):
    """What an import says when it refuses."""
    try:
        import_benchmark(name, [source], out)
    except InputError as error:
        return str(error)
    return ""


def left_behind(tmp_path):
    return [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_becomes_a_data_set_that_can_be_read(name, original, tmp_path):
    found = import_benchmark(name, [original(name)], tmp_path / name)
    data = read(tmp_path / name)
    assert len(data.manifest.tools) == found.tools > 0
    assert {s: len(data.part(s)) for s in found.episodes} == found.episodes
    assert sum(found.episodes.values()) > 0
    assert data.dropped == 0
    assert found.as_reported is (None if name == "toolbench" else False)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_same_source_gives_the_same_bytes(name, original, tmp_path):
    source = original(name)
    for out in ("one", "two"):
        import_benchmark(name, [source], tmp_path / out)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    assert str(tmp_path) not in (tmp_path / "one" / "SOURCE.json").read_text()
    assert not left_behind(tmp_path)


@pytest.mark.parametrize("name", [n for n, b in BENCHMARKS.items() if b.marks])
def test_a_layout_is_recognised(name, original):
    assert detect([original(name)]).name == name


def test_a_folder_with_something_else_is_told_what_was_looked_for(tmp_path):
    with pytest.raises(InputError, match=r"(?s)No known benchmark.*nestful: data_v1/executable"):
        import_benchmark("auto", [tmp_path], tmp_path / "out")
    with pytest.raises(InputError, match="no folder"):
        import_benchmark("auto", [tmp_path / "nowhere"], tmp_path / "out")
    with pytest.raises(InputError, match=r"'hop'. Known: traject_bench"):
        named("hop")


def test_the_manifest_says_what_was_read_and_made(original, tmp_path):
    source = original("nestful")
    found = import_benchmark("auto", [source], tmp_path / "out", full=True)
    said = json.loads((tmp_path / "out" / "SOURCE.json").read_text())
    for key, value in asdict(found).items():
        if key != "folder":
            assert said[key] == value
    assert (said["licence"], said["full"]) == ("Apache-2.0", True)
    assert "2409.03797" in said["attribution"]
    assert said["repositories"][0]["commit"].startswith("053cbde")
    file = source / "data" / "executable" / "executable-data.json"
    read_ = said["inputs"]["data/executable/executable-data.json"]
    assert (read_["files"], read_["bytes"]) == (1, file.stat().st_size)
    raw = (tmp_path / "out" / "episodes.jsonl.gz").read_bytes()
    assert raw[4:8] == b"\0\0\0\0"  # the time in a gzip header
    assert said["files"]["episodes.jsonl.gz"]["bytes"] == len(raw)
    assert said["files"]["episodes.jsonl.gz"]["rows"] == gzip.decompress(raw).count(b"\n") == 3
    assert set(said["files"]) == {
        "tools.jsonl.gz", "episodes.jsonl.gz", "flows.jsonl.gz", "derived_state.jsonl.gz",
    }  # fmt: skip


def test_many_files_are_one_entry_of_the_manifest(original, tmp_path):
    source = original("toolbench")
    import_benchmark("toolbench", [source], tmp_path / "one")
    answers = "data/answer/G*_answer/*.json"
    before = json.loads((tmp_path / "one" / "SOURCE.json").read_text())["inputs"][answers]
    assert before["files"] == 2
    file = next((source / "data" / "answer" / "G1_answer").iterdir())
    file.write_text(file.read_text() + "\n")
    import_benchmark("toolbench", [source], tmp_path / "two")
    after = json.loads((tmp_path / "two" / "SOURCE.json").read_text())["inputs"][answers]
    assert after["sha256"] != before["sha256"]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_file_that_is_needed_is_missed(name, original, originals, tmp_path):
    source = original(name)
    missed = []
    for file in originals.files_of(name):
        aside = source / "aside"
        (source / file).rename(aside)
        if said := refusal(name, source, tmp_path / "out" / file.replace("/", "-")):
            missed.append(file)
            for part in (BENCHMARKS[name].title, "https://", str(source)):
                assert part in said
        aside.rename(source / file)
    optional = {
        "traject_bench": {"public_data/sequential/Travel/simple_ver.json"},
        "taskbench": {
            "taskbench/data_multimedia/user_requests.json",
            "taskbench/data_multimedia/alignment_ids.json",
            "paraphrased_queries/rephrasing_results_flat_lang.csv",
        },
        "seal_tools": {"Seal-Tools_Dataset/train.jsonl"},
        "toolbench": set(originals.files_of("toolbench")),  # parts of the release are enough
        # one of two files of test instructions, and what only the other set of runs reads
        "toolbench_rel": {n for n in originals.files_of("toolbench_rel") if "solvable" in n},
        "toolbench_traj": {
            n for n in originals.files_of("toolbench_traj") if "solvable" in n or "atb" in n
        },
        "toolbench_g3": {
            n for n in originals.files_of("toolbench_g3") if "solvable" in n or "atb" in n
        },
    }
    assert set(missed) == set(originals.files_of(name)) - optional.get(name, set())


def test_a_file_that_is_not_whole_is_named_with_its_place(original, tmp_path):
    source = original("seal_tools")
    lines = source / "Seal-Tools_Dataset" / "dev.jsonl"
    lines.write_text(lines.read_text()[:-20])
    with pytest.raises(InputError, match=r"dev.jsonl', line 2: this is not JSON. Download"):
        import_benchmark("seal_tools", [source], tmp_path / "out")
    lines.write_text('{"id": "a"}\n')
    with pytest.raises(InputError, match=r"dev.jsonl', line 1: 'calling' is missing"):
        import_benchmark("seal_tools", [source], tmp_path / "out")
    lines.write_text("[1]\n")
    with pytest.raises(InputError, match=r"line 1: an object is expected, this is a list"):
        import_benchmark("seal_tools", [source], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not left_behind(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[\n {"user', r"not JSON: line 2, column 3"),
        ('[{"user_query": 5}]', r"record 0: 'golden_function_names' is missing"),
        ('[{"golden_function_names": ["send"], "user_query": 5}]', r"'user_query' must be a text"),
        ('[{"golden_function_names": [3]}]', r"golden_function_names\[0\] must be a text, not a n"),
        ("[{}, 3]", r"record 0: 'golden"),
        ('{"a": 1}', r"a list is expected, this is an object"),
        ("[] x", r"Extra data"),
        ("[", r"not JSON"),
        ("", r"not JSON"),
        ("[" * 100_000, r"nested too deeply"),
        ("version https://git-lfs.github.com/spec/v1\n", r"git lfs pull"),
    ],
)
def test_what_is_wrong_with_a_list_is_said(text, said, original, tmp_path):
    source = original("toollinkos")
    (source / "toollinkos" / "instances.json").write_text(text)
    with pytest.raises(InputError, match=said):
        import_benchmark("toollinkos", [source], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_text_that_is_not_utf8_is_named_with_its_line(original, tmp_path):
    source = original("toollinkos")
    (source / "toollinkos" / "instances.json").write_bytes(b"[\n\xff]")
    with pytest.raises(InputError, match=r"instances.json', line 2: this is not UTF-8"):
        import_benchmark("toollinkos", [source], tmp_path / "out")


def test_an_empty_benchmark_is_refused(original, tmp_path):
    source = original("toollinkos")
    (source / "toollinkos" / "instances.json").write_text("[]")
    with pytest.raises(InputError, match="No episode could be used: there are none"):
        import_benchmark("toollinkos", [source], tmp_path / "out")
    (source / "toollinkos" / "regular_tools.json").write_text("[]")
    query = '[{"user_query": "a", "golden_function_names": ["send"]}]'
    (source / "toollinkos" / "instances.json").write_text(query)
    with pytest.raises(InputError, match="1 × a tool of the path is not documented"):
        import_benchmark("toollinkos", [source], tmp_path / "out")


def test_a_folder_that_is_there_is_never_touched(original, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="already there"):
        import_benchmark("toollinkos", [original("toollinkos")], tmp_path / "out")
    assert bytes_of(tmp_path / "out") == {"mine.txt": b"mine"}
    (tmp_path / "out" / "mine.txt").unlink()
    import_benchmark("toollinkos", [original("toollinkos")], tmp_path / "out")
    assert read(tmp_path / "out").episodes


LIMITED = """
import resource, sys
from pathlib import Path
from benchmarks.datasets.importer import import_benchmark
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
import_benchmark("toollinkos", [Path(sys.argv[2])], Path(sys.argv[3]))
"""


@pytest.mark.parametrize("limit", [0, 200, 1_500])
def test_a_write_that_fails_leaves_nothing(limit, original, tmp_path):
    arguments = [str(limit), str(original("toollinkos")), str(tmp_path / "out")]
    command = [sys.executable, "-B", "-c", LIMITED, *arguments]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    assert "File too large. Nothing was kept" in done.stderr
    assert not (tmp_path / "out").exists()
    assert not left_behind(tmp_path)


def test_a_place_that_cannot_be_written_is_said(original, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="Cannot write"):
        import_benchmark("toollinkos", [original("toollinkos")], tmp_path / "file" / "out")


def test_rows_are_fingerprinted_whatever_their_order():
    rows = [{"a": 1, "b": 2}, {"a": 3}]
    again = [{"a": 3}, {"b": 2, "a": 1}]
    assert folder_writer.fingerprint(rows, []) == folder_writer.fingerprint(again, [])
    assert folder_writer.fingerprint(rows, []) != folder_writer.fingerprint([], rows)
    assert folder_writer.fingerprint(rows) != folder_writer.fingerprint(rows[:1])


def test_what_is_read_is_told(original, tmp_path):
    heard = []
    import_benchmark(
        "toollinkos",
        [original("toollinkos")],
        tmp_path / "out",
        progress=lambda *a: heard.append(a),
    )
    assert [said for said, _, _ in heard] == [
        "Reading regular_tools.json", "Reading core_tools.json", "Reading instances.json",
        "Writing",
    ]  # fmt: skip


def test_characters_that_no_file_can_hold_come_through(original, tmp_path):
    source = original("toollinkos")
    file = source / "toollinkos" / "instances.json"
    file.write_text(file.read_text().replace("Send it", "Send \\ud83d it é"))
    import_benchmark("toollinkos", [source], tmp_path / "out")
    assert read(tmp_path / "out").episodes[0].request.startswith("Send ")
