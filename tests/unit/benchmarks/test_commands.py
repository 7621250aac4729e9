"""`python -m benchmarks`: what is no speed and no data set."""

import pytest

from benchmarks import reproduce
from benchmarks.reproduce import Verdict
from tests.data.data_sets import write


def test_fields_are_compared_in_json_and_in_a_table(benchmarks, tmp_path):
    tool = {"family": "", "inputs": [{"name": "a_b"}], "outputs": [{"name": "aB"}]}
    write(tmp_path / "tools.jsonl.gz", [{**tool, "name": "x"}, {**tool, "name": "y"}])
    write(tmp_path / "flows.jsonl.gz", [{"from": "x", "to": "y"}])
    found = benchmarks("fields", tmp_path, "--json").json
    assert [(a["naming"], a["precision"], a["recall"]) for a in found] == [
        ("as spelled", 0.0, 0.0),
        ("folded", 0.5, 1.0),
        ("canonical", 0.5, 1.0),
    ]
    assert "canonical" in benchmarks("fields", tmp_path).out


def test_a_folder_without_data_is_refused(benchmarks, tmp_path):
    done = benchmarks("fields", tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("benchmarks: ")


@pytest.mark.parametrize(("off", "code", "word"), [(0, 0, "OK"), (1, 1, "FAIL")])
def test_the_exit_code_says_whether_an_experiment_failed(
    off, code, word, benchmarks, monkeypatch, tmp_path
):
    def run(experiment, data, cache):
        assert data == tmp_path
        measured = {
            who: {measure: score + off for measure, score in scores.items()}
            for who, scores in experiment.expected.items()
        }
        return Verdict(experiment, measured, 1.0)

    monkeypatch.setattr(reproduce, "run", run)
    done = benchmarks("reproduce", "main/toollinkos", "--data", tmp_path)
    assert done.code == code
    assert done.out.split()[:2] == [word, "main/toollinkos"]
    assert len(done.out.splitlines()) == 1


def test_updating_writes_what_was_measured_and_the_tables(benchmarks, monkeypatch, tmp_path):
    from benchmarks import result_tables

    text = reproduce.EXPERIMENTS.read_text("utf-8")
    (copy := tmp_path / "experiments.yaml").write_text(text, "utf-8")
    (page := tmp_path / "page.md").write_text("<!-- table: main -->\n<!-- /table -->\n")
    monkeypatch.setattr(reproduce, "EXPERIMENTS", copy)
    monkeypatch.setattr(result_tables, "PAGES", [page])
    measured = {"dense": {"chain@32": 0.1234}}
    monkeypatch.setattr(reproduce, "run", lambda one, data, cache: Verdict(one, measured, 1.0))
    benchmarks("reproduce", "main/toollinkos", "--data", tmp_path, "--update")
    (one,) = [one for one in reproduce.experiments() if one.name == "main/toollinkos"]
    assert one.expected == measured
    assert ".123" in page.read_text("utf-8")
