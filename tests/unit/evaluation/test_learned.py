"""The learned constructor in an evaluation: it learns, it forgets what an ablation takes."""

from dataclasses import replace

import numpy as np
import pytest

from spm.evaluation import ablations
from spm.evaluation.corpus import Corpus, Task
from spm.evaluation.learned import Constructed, Learned, Prior, Scratch, trained
from spm.evaluation.steps import STEPS, stepped
from spm.gnn.arrays.array_expansion import Question, expand
from spm.gnn.features import NODE, derive
from spm.gnn.model_store import prior
from spm.gnn.training.config import Config, shipped
from spm.gnn.training.examples import divide
from tests.data.workers import tiny_training as tiny


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    library = tiny.library()
    teach, judge = divide(library, tiny.seen(library), 0.2)
    tasks = [Task(str(at), row.question, row.path) for at, row in enumerate(judge)]
    known = teach[0].library
    return Corpus("tiny", known, list(known.tools), teach, judge, tasks, "none", ("tiny",))


def test_a_menu_holds_the_whole_frontier_once(corpus):
    built = Prior(corpus)
    for task in corpus.tasks:
        menu = built.menu(task.question)
        assert sorted(menu) == sorted(built.frontier(task.question))
        assert len(set(menu)) == len(menu)


def test_menus_in_one_pass_are_those_built_one_by_one(corpus, monkeypatch):
    questions = [task.question for task in corpus.tasks]
    for built in (Prior(corpus), ablations.Unordered(corpus)):
        alone = [built.menu(question) for question in questions]
        assert built.menus(questions) == alone
        with monkeypatch.context() as patch:
            patch.setenv("SPM_RUNTIME", "torch")
            assert built.menus(questions) == alone


def test_gold_paths_change_no_menu(corpus):
    turned = [replace(task, path=task.path[::-1]) for task in corpus.tasks]
    one, other = Learned(corpus), Learned(replace(corpus, tasks=turned))
    assert one.model.digest == other.model.digest
    menus = [[built.menu(task.question) for task in corpus.tasks] for built in (one, other)]
    assert menus[0] == menus[1]


def test_training_changes_menus_and_scratch_is_not_the_prior(corpus):
    built = [Prior(corpus), Learned(corpus), Scratch(corpus)]
    weights = [one.model.retriever["member.weight"] for one in built]
    assert not np.array_equal(weights[1], weights[2])
    assert built[0].model.digest == prior().digest == Learned.fingerprint()


def test_with_too_little_to_learn_from_the_prior_is_all_there_is(corpus):
    few = replace(corpus, teach=corpus.teach[:5])
    assert trained(few, start=prior()).digest == prior().digest


CHANGES = {
    ablations.without_fields: ("flow_in", "flow_out"),
    ablations.without_order: ("from_anchors", "to_anchors", "with_anchors", "from_votes"),
    ablations.without_memory: ("vote", "sharp_vote", "entry_vote", "familiar", "from_votes"),
    ablations.without_words: ("words", "words_rank", "clause_words", "clause_words_rank"),
    ablations.without_clauses: ("clause_alone",),
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_an_ablation_silences_its_signals_and_no_others(corpus, change):
    asked = corpus.tasks[0].question
    vectors = np.stack([asked.vector, corpus.library.vectors[0]])
    text = "redk is what I want, then bluek is what I need"
    whole = expand(corpus.library, Question(text, asked.vector, asked.given, None, vectors))
    before, after = derive(whole).nodes, derive(change(whole)).nodes
    for name in CHANGES[change]:
        assert before[:, NODE.index(name)].any(), name
        assert not after[:, NODE.index(name)].any(), name
    kept = {"similarity", "tool_frequency"}
    for name in kept:
        assert np.array_equal(before[:, NODE.index(name)], after[:, NODE.index(name)])


def test_an_ablation_trains_on_what_is_left(corpus):
    built = ablations.NO_MEMORY(corpus)
    assert isinstance(built, Constructed)
    menu = built.menu(corpus.tasks[0].question)
    assert sorted(menu) == sorted(built.frontier(corpus.tasks[0].question))


def test_unordered_is_the_set_as_it_was_chosen(corpus):
    built = ablations.Unordered(corpus)
    for task in corpus.tasks:
        chosen = built.construction(task.question).chosen.order
        tools = built.frontier(task.question)
        assert built.menu(task.question) == [tools[at] for at in chosen]


def test_the_steps_lead_from_the_paper_to_ours():
    """Each changes one thing; what is left after the last is the order."""
    first, *_, last = (stepped(count) for count in range(len(STEPS) + 1))
    assert first == shipped("paper")
    for count, step in enumerate(STEPS, 1):
        assert stepped(count) == step(stepped(count - 1)) != stepped(count - 1)
    ours = Config(start="chance")
    order = ("reranker", "order", "learned", "further", "cuts", "design")
    assert replace(last, **{name: getattr(ours, name) for name in order}) == ours
    assert replace(last.design, routing=ours.design.routing) == ours.design
