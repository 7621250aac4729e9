"""Constructors side by side: means, differences, parts and shares, by hand where they are few."""

import json
from dataclasses import replace

import pytest

from spm.evaluation import results
from spm.evaluation.compare import evaluate, kind, length
from spm.evaluation.corpus_sources import from_folders, from_registry, narrowed
from spm.evaluation.measures import KS, MEASURES
from spm.evaluation.results import plain
from spm.registry.errors import InputError
from spm.registry.registry import Registry
from tests.data.corpora import RECEIPT, SHOP, TASKS, Straight, corpus, library, task
from tests.data.data_sets import write


@pytest.fixture
def found(tmp_path):
    return evaluate(corpus(), ["straight", "turned"], tmp_path, shares=[0, 0.5, 1])


def test_means_and_differences_are_those_of_the_menus(found):
    # in order of ids: echo, find_mail, find_order, make_receipt, refund, send, wait, weather
    straight, turned = (found.whole.means[name] for name in ("straight", "turned"))
    assert straight["chain@5"].mean == pytest.approx(2 / 5)
    assert turned["chain@5"].mean == pytest.approx(2 / 5)
    assert straight["chain@8"].mean == 1
    assert straight["first@1"].mean == 0
    assert turned["first@1"].mean == pytest.approx(2 / 5)
    assert straight["edges"].count == 1
    assert straight["edges"].mean == pytest.approx(3 / 4)
    assert turned["edges"].mean == pytest.approx(1 / 4)
    assert straight["ceiling"].count == 0
    assert turned["ceiling"].mean == pytest.approx(3 / 5)  # weather is not in the frontier
    apart = found.whole.differences["turned"]["first@1"]
    assert (apart.mean, apart.wins, apart.losses) == (pytest.approx(2 / 5), 2, 0)
    assert list(found.whole.differences) == ["turned"]
    assert found.defined("edges")
    assert found.defined("ceiling")


def test_parts_hold_their_own_tasks(found):
    counts = {way: {m: p.count for m, p in parts.items()} for way, parts in found.parts.items()}
    assert counts["length"] == {"1": 2, "2": 2, "3–4": 1}
    # find_order and make_receipt never solved anything alone; a refund did, the other way round
    assert counts["tools"] == {"seen": 4, "unseen": 1}
    assert counts["order"] == {"seen": 3, "unseen": 2}
    assert counts["kind"] == {"mail": 2, "rain": 2, "refund": 1}
    assert "service" not in counts  # there is only one
    assert found.parts["kind"]["rain"].means["turned"]["first@1"].mean == 1
    assert found.parts["kind"]["rain"].differences["turned"]["first@1"].low == 1
    assert found.parts["length"]["3–4"].means["straight"]["edges"].mean == pytest.approx(3 / 4)


def test_less_documentation_lets_no_tool_run_that_could_not_run_before(tmp_path):
    """Whoever reads names alone sees no inputs; the tools need them all the same."""
    whole = corpus()
    bare = library(dict.fromkeys(SHOP, ((), ())))
    asked = [replace(one, question=replace(one.question, given=frozenset())) for one in whole.tasks]
    less = replace(corpus(bare, asked), documented=whole)
    full = evaluate(whole, ["turned"], tmp_path)
    found = evaluate(less, ["turned"], tmp_path)
    for name in ("executable", "executable_prefix", "replay", "edges", "chain@5"):
        assert found.whole.means["turned"][name] == full.whole.means["turned"][name], name
    assert found.fields == full.fields
    careless = evaluate(replace(less, documented=None), ["turned"], tmp_path)
    assert careless.whole.means["turned"]["executable"].mean == 1  # nothing required: all can run
    assert full.whole.means["turned"]["executable"].mean != 1
    assert Straight.fitted
    assert all(one.documented is None for one in Straight.fitted)  # no constructor is shown it
    Straight.forget()


def test_tasks_with_the_same_tools_are_drawn_together(found):
    assert (found.about.tasks, found.about.groups) == (5, 4)


def test_the_paths_themselves_are_measured_too(found):
    assert found.paths["chain@32"].mean == 1
    assert found.paths["ceiling"].count == 0
    # a refund before the order is found cannot run
    assert found.paths["executable"].mean == pytest.approx((4 + 0.5) / 5)
    # order_number and order are said; customer, order, mail and receipt made before; two cities and
    # two order_numbers are nobody's; and a refund before the order is found lacks two fields
    shares = {"request": 2 / 12, "tools": 4 / 12, "nobody": 4 / 12, "missing": 2 / 12}
    assert found.fields == pytest.approx(shares)


def test_single_requests_are_told(found):
    one = found.outcomes[0]
    assert (one.id, one.path, one.length, one.seen) == ("mail/1", RECEIPT, "3–4", True)
    assert one.menus["turned"] == sorted(SHOP, reverse=True)
    assert one.scores["straight"]["edges"] == 0.75
    assert not found.outcomes[1].seen


def test_shares_are_evaluated_and_those_that_cannot_are_left_out(tmp_path):
    found = evaluate(corpus(), ["needy", "turned"], tmp_path, shares=[0, 1])
    nothing, everything = found.shares
    assert (nothing.share, nothing.trajectories, everything.trajectories) == (0, 0, 4)
    assert nothing.skipped == {"needy": "No trajectory to learn from."}
    assert list(nothing.means) == ["turned"]
    assert list(everything.means) == ["needy", "turned"]
    assert everything.means["turned"] == found.whole.means["turned"]


def test_the_whole_corpus_must_do(tmp_path):
    from spm.evaluation.trace_shares import thinned

    with pytest.raises(InputError, match="No trajectory"):
        evaluate(thinned(corpus(), 0), ["needy"], tmp_path)


def test_whoever_is_compared_with_takes_part(tmp_path):
    found = evaluate(corpus(), ["straight", "straight"], tmp_path, against="turned")
    assert found.names == ["straight", "turned"]
    assert (found.against, found.rivals) == ("turned", ["straight"])
    assert list(found.whole.differences) == ["straight"]


def test_an_unknown_name_is_refused_before_anything_is_built(tmp_path):
    with pytest.raises(InputError, match="nobody"):
        evaluate(corpus(), ["straight", "nobody"], tmp_path)
    assert not Straight.fitted


def test_lengths_and_kinds_are_told_apart():
    lengths = {n: length(task([str(at) for at in range(n)])) for n in (1, 2, 3, 4, 5, 6, 7, 30)}
    assert lengths == {
        1: "1", 2: "2", 3: "3–4", 4: "3–4", 5: "5–6", 6: "5–6", 7: "7+", 30: "7+"
    }  # fmt: skip
    assert length(task(["a", "b", "a"])) == "2"
    ids = ["par/Education/1", "seq-v1/a", "tl:15", "dev-easy-28", "trace_7", "alone"]
    assert [kind(task(["a"], name=name)) for name in ids] == [
        "par", "seq-v1", "tl", "dev-easy", "trace", "alone"
    ]  # fmt: skip


# -- JSON ---------------------------------------------------------------------------------------


def test_json_keeps_its_shape(found):
    said = plain(found)
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    assert results.FORMAT == 1  # raise it when a name below changes or goes
    assert set(said) == {
        "format", "corpus", "ks", "measures", "against", "constructors", "all", "parts", "paths",
        "fields", "shares", "requests",
    }  # fmt: skip
    assert set(said["corpus"]) == {
        "name", "encoder", "digest", "tools", "trajectories", "tasks", "groups"
    }  # fmt: skip
    assert set(said["constructors"][0]) == {
        "name", "title", "about", "version", "fit_seconds", "p50", "p95"
    }  # fmt: skip
    assert set(said["all"]) == {"count", "means", "differences"}
    assert set(said["all"]["means"]) == {"straight", "turned"}
    assert set(said["all"]["means"]["turned"]["mrr"]) == {"mean", "low", "high", "count"}
    assert set(said["all"]["differences"]["turned"]["mrr"]) == {
        "mean", "low", "high", "p", "count", "wins", "losses"
    }  # fmt: skip
    assert set(said["shares"][0]) == {"share", "trajectories", "means", "skipped"}
    assert set(said["requests"][0]) == {
        "id", "request", "path", "length", "seen", "menus", "scores"
    }  # fmt: skip
    assert set(said["measures"]) == set(said["all"]["means"]["turned"]) == set(MEASURES)
    assert set(said["requests"][0]["scores"]["turned"]) == set(MEASURES)
    names = {f"{family}@{k}" for family in ("chain", "recall", "target", "ndcg", "map") for k in KS}
    names |= {"first@1", "first@5", "prefix", "executable_prefix", "executable", "edges", "replay"}
    assert set(MEASURES) == names | {"chain@128", "mrr", "ceiling"}


def test_the_same_menus_give_the_same_result(tmp_path):
    first = plain(evaluate(corpus(), ["straight", "turned"], tmp_path))
    assert plain(evaluate(corpus(), ["straight", "turned"], tmp_path)) == first


# -- where corpora come from --------------------------------------------------------------------


def test_a_registry_reports_on_some_of_its_own(shop, tmp_path):
    whole = from_registry(shop, tmp_path, "test")
    taught, judged = set(whole.library.trajectories), len(whole.judge)
    asked = {one.id for one in whole.tasks}
    assert not taught & asked
    assert len(taught) == len(whole.teach) > judged > 0
    assert len(asked) > judged
    texts = [set(map(str.lower, rows)) for rows in (
        [row.question.text for row in whole.judge], [one.question.text for one in whole.tasks]
    )]  # fmt: skip
    assert not texts[0] & texts[1]
    chosen = from_registry(shop, tmp_path, "valid")
    assert len(chosen.tasks) == judged
    assert chosen.tasks[0].question is chosen.judge[0].question
    assert chosen.digest != whole.digest
    few = narrowed(whole, "", 20)
    found = evaluate(few, ["dense"], tmp_path)
    assert found.about.tasks == 20
    assert (found.whole.means["dense"]["recall@32"].mean or 0) > 0.5


def test_a_registry_without_trajectories_says_what_to_do(registry, tmp_path):
    with pytest.raises(InputError, match="spm traces import"):
        from_registry(registry, tmp_path, "test")


def test_too_few_trajectories_to_report_on_say_so(tmp_path, manifest, encoder):
    with Registry.open(str(tmp_path)) as one:
        one.register(manifest("mail", send=(["address"], ["message_id"])))
        from spm.registry.models import Trace

        one.import_traces([Trace.model_validate({"request": "send it", "steps": ["send"]})])
        one.encode(encoder)
        found = from_registry(one, tmp_path, "test")
        with pytest.raises(InputError, match="Import more"):
            narrowed(found, "", None)


def test_a_prefix_that_nothing_has_is_named():
    with pytest.raises(InputError, match="'mail/1'"):
        narrowed(corpus(), "sea", None)
    assert [one.id for one in narrowed(corpus(), "rain", None).tasks] == ["rain/1", "rain/2"]


def folder(path, service, episodes):
    path.mkdir()
    tools = [
        {"name": f"{service}_{n}", "description": f"{service} tool {n}", "family": "",
         "inputs": [{"name": "thing", "required": True}], "outputs": [{"name": f"made_{n}"}]}
        for n in range(3)
    ]  # fmt: skip
    write(path / "tools.jsonl.gz", tools)
    write(path / "episodes.jsonl.gz", episodes)
    return path


def test_several_folders_become_one_library(tmp_path):
    def episode(service, split, number, tool=0):
        said = {"id": f"{service}:{number}", "request": f"use {service} {number}", "state": []}
        return {**said, "path": [f"{service}_{tool}"], "split": split}

    one = folder(tmp_path / "one", "red", [episode("red", s, s) for s in ("train", "test")])
    two = folder(
        tmp_path / "two",
        "blue",
        [episode("blue", "test", 1), episode("blue", "valid", 2), episode("blue", "test", 3, 9)],
    )
    found, dropped = from_folders([one, two], tmp_path / "cache", "test")
    assert (len(found.library.tools), len(found.tasks), dropped) == (6, 2, 1)
    result = evaluate(found, ["dense"], tmp_path / "cache")
    assert result.about.name == "one+two"
    assert list(result.parts["service"]) == ["one", "two"]
    chosen, _ = from_folders([two], tmp_path / "cache", "valid")
    assert [t.id for t in chosen.tasks] == ["blue:2"]


def test_what_is_no_data_set_is_refused(tmp_path):
    with pytest.raises(InputError, match="Cannot read"):
        from_folders([tmp_path], tmp_path, "test")


def test_all_tasks_are_there(found):
    assert [one.id for one in found.outcomes] == [one.id for one in TASKS]
