"""A whole training: the same every time, after any kill, and without a look at what is hidden."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from spm.gnn.arrays.array_expansion import Question, expand
from spm.gnn.arrays.library import Library
from spm.gnn.checkpoint import load, save
from spm.gnn.constructor import construct, names
from spm.gnn.features import Inputs
from spm.gnn.model import Model, Provenance
from spm.gnn.networks.input_rows import widths
from spm.gnn.training.config import Config, Schedule, shipped
from spm.gnn.training.examples import Row, divide, rows_of, split
from spm.gnn.training.measures import Measures
from spm.gnn.training.recipe import LEAST, Training
from spm.gnn.training.run_folder import Run, plain
from spm.registry.errors import InputError
from tests.data.workers import tiny_training as tiny

torch.set_num_threads(1)
CHANGED: dict[str, Any] = {"reranker": Schedule(4e-4, 2, 17), "development": 0.2, "folds": 2}
CONFIG = Config(**CHANGED)
ONCE = replace(CONFIG, retriever=Schedule(8e-4, 1, 20260525), reranker=Schedule(4e-4, 1, 17))
WHENCE = Provenance("tiny", "none", 1, tiny.ROWS)


class Killed(Exception):
    """What the progress raises where a kill would come."""


def trained(
    library: Library,
    folder: Path,
    config: Config = CONFIG,
    progress: Any = None,
    kind: type[Training] = Training,
) -> tuple[Model, Training]:
    """As `learning.learn` does it, without a registry around."""
    run = Run(folder)
    run.begin(plain(config))
    training = kind(
        *divide(library, tiny.seen(library), config.development), config, run, None, progress
    )
    return save(training.model(WHENCE), run.model), training


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return trained(tiny.library(), tmp_path_factory.mktemp("run") / "a")[0]


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """One epoch each: then the development split has no epoch to choose."""
    return trained(tiny.library(), tmp_path_factory.mktemp("run") / "once", ONCE)[0]


# -- the same every time ---------------------------------------------------------------------


def test_the_same_seed_makes_the_same_bytes(tmp_path, model):
    again, _ = trained(tiny.library(), tmp_path / "b")
    assert again.digest == model.digest
    assert load(tmp_path / "b" / "model.safetensors").digest == model.digest


def test_a_model_is_better_than_chance(model):
    """Ways repeat, so the nearest requests give most of it away; a broken loop would not see it."""
    measures = model.provenance.measures
    assert measures["ceiling"] == 1
    assert measures["prefix"] > 0.3


def test_a_training_without_a_file_costs_what_it_always_did(tmp_path):
    """Losses of every epoch, as they were before anything of it was a key of a configuration."""
    trained(tiny.library(), tmp_path, replace(shipped("default"), **CHANGED))
    found = {(row["stage"], row["epoch"]): row["loss"] for row in Run(tmp_path).metrics()}
    assert found == pytest.approx(
        {
            ("retriever", 1): 3.863462,
            ("retriever", 2): 2.458731,
            ("fold1", 1): 4.114716,
            ("fold2", 1): 4.32679,
            ("reranker", 1): 6.169131,
            ("reranker", 2): 4.566415,
        },
        rel=2e-3,  # processors add up in another order
    )


def same(left: Any, right: Any) -> bool:
    return all(np.array_equal(left[name], right[name]) for name in left)


def test_a_run_that_is_killed_everywhere_ends_with_the_same_model(tmp_path, model):
    """In the middle of an epoch, and where a stage is over but its end is not yet written."""
    teach, _ = split(tiny.library(), CONFIG.development)
    epoch = -(-len(teach) // CONFIG.retriever.batch)
    points = [("features", len(teach)), ("retriever", epoch + 1), ("retriever", 2 * epoch)]
    points += [("menus1", 1), ("fold2", 1), ("reranker", epoch + 1), ("reranker", 2 * epoch)]
    told: list[list[tuple[str, int]]] = []

    def kill(name: str, done: int, total: int, loss: float, measured: Measures | None) -> None:
        told[-1].append((name, done))
        if points and (name, done) == points[0]:
            raise Killed(points.pop(0))

    found = None
    while not found and len(told) < 20:
        told.append([])
        with suppress(Killed):
            found, _ = trained(tiny.library(), tmp_path, CONFIG, kill)
    assert not points
    assert found
    assert found.digest == model.digest
    # What was done is not done again: of the last attempt only the last epoch was left.
    learned = [step for step in told[-1] if step[0] in ("retriever", "fold1", "fold2", "reranker")]
    assert learned == [("reranker", epoch + at) for at in range(1, epoch + 1)]


def test_another_configuration_in_the_same_folder_is_refused(tmp_path):
    def kill(*_: Any) -> None:
        raise Killed

    with pytest.raises(Killed):
        trained(tiny.library(), tmp_path, CONFIG, kill)
    with pytest.raises(InputError, match=r"holds a run with other folds, retriever\."):
        trained(tiny.library(), tmp_path, replace(CONFIG, folds=3, retriever=Schedule(1e-3, 2, 1)))


def test_the_paper_chooses_nothing_on_the_development_split(tmp_path):
    """Fixed weights stay fixed, the last epoch is kept, and other judges change no weight."""
    paper, library = shipped("paper"), tiny.library()
    config = replace(paper, folds=2, reranker=replace(paper.reranker, epochs=2))
    teach, judge = divide(library, tiny.seen(library), 0.2)
    models = []
    for name, rows in (("some", judge), ("none", [])):
        run = Run(tmp_path / name)
        run.begin({})
        models.append(Training(teach, rows, config, run).model(WHENCE))
    one, other = models
    assert (one.sets, one.orders, one.cut) == (paper.sets[0], paper.order, 0.0)
    assert one.design == paper.design
    assert same(one.retriever, other.retriever)
    assert same(one.reranker, other.reranker)
    assert one.provenance.measures["ceiling"] > 0
    assert not other.provenance.measures


@pytest.mark.parametrize("rows", [1, LEAST - 1])
def test_too_few_trajectories_are_refused(tmp_path, rows):
    said = f"There are {rows} trajectories with a request; training needs 24 or more"
    with pytest.raises(InputError, match=said):
        trained(tiny.library(rows), tmp_path)


def test_just_enough_are_enough_also_when_nobody_judges(tmp_path):
    model, training = trained(tiny.library(LEAST), tmp_path, replace(ONCE, development=0.0))
    assert not training.judge
    assert model.cut == 0.5
    assert np.isfinite(model.retriever["beta"]).all()


# -- what must not be seen -------------------------------------------------------------------


def other_path(library: Library, row: int) -> list[int]:
    """Tools that the row did not use, in no order that any row has."""
    return [tool for tool in reversed(range(len(library.tools))) if tool not in library.path(row)][
        :4
    ]


def test_rows_that_judge_teach_nothing(tmp_path, once):
    """Other paths for them: no weight of a network changes, only what is chosen or measured."""
    plainly = tiny.library()
    _, judge = split(plainly, ONCE.development)
    changed = tiny.library(changed={row: other_path(plainly, row) for row in judge})
    assert (changed.frequency != plainly.frequency).any()
    found, _ = trained(changed, tmp_path, ONCE)
    assert same(once.retriever, found.retriever)
    # All tools are in every menu of 32, so that every choice of sets is as good as the first.
    assert once.sets == found.sets
    assert same(once.reranker, found.reranker)
    assert once.orders == found.orders
    assert once.provenance.measures != found.provenance.measures


def test_rows_that_teach_do_teach(tmp_path, once):
    """The test above could not fail if paths never reached the networks."""
    plainly = tiny.library()
    teach, _ = split(plainly, ONCE.development)
    changed = tiny.library(changed={teach[0]: other_path(plainly, teach[0])})
    found, _ = trained(changed, tmp_path, ONCE)
    assert not same(once.retriever, found.retriever)


@pytest.mark.parametrize("row", [0, 7, 23])
def test_the_path_of_a_hidden_question_changes_no_menu(model, row):
    """Neither when its row is taken out of the library, nor when its group is left out."""
    plainly = tiny.library()
    changed = tiny.library(changed={row: other_path(plainly, row)})
    question = Question(plainly.requests[row], plainly.request_vectors[row])
    told = replace(question, group=int(plainly.groups[row]))
    menus, seen = [], []
    for library in (plainly, changed):
        menus.append(names(construct(model, expand(library.without([row]), question))))
        menus.append(names(construct(model, expand(library, told))))
        seen.append(names(construct(model, expand(library, question))))
    assert menus[0] == menus[2]
    assert menus[1] == menus[3]
    assert len(menus[0]) == tiny.TOOLS
    assert seen[0] != seen[1]  # with the row in the library, its path does speak


def test_a_row_that_teaches_is_asked_without_its_group():
    library = tiny.library()
    teach, judge = divide(library, tiny.seen(library), 0.2)
    assert len(teach) + len(judge) == tiny.ROWS
    assert judge
    for row in teach:
        own = {library.trajectories[m] for m in library.members[row.question.group or 0]}
        assert not own & set(row.example().frontier.memory.ids)
    judged = {row.question.text for row in judge}
    for row in judge:
        assert row.question.group is None
        assert not judged & set(row.library.requests)
        assert row.question.given == tiny.visible(row.question.text)


class Recording(Training):
    """Remembers which rows taught which network, and whose menu it then made."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.made: dict[int, int] = {}  # graph -> group of its row
        self.taught: set[int] = set()
        self.seen: list[tuple[set[int], int | None]] = []

    def _frontier_graph(self, row: Row) -> Any:
        graph = super()._frontier_graph(row)
        self.made[id(graph)] = int(row.question.group or 0)
        return graph

    def _retriever(self, stage: str, graphs: Any, judged: Any, epochs: int | None = None) -> Any:
        self.taught = {self.made[id(graph)] for graph in graphs}
        return super()._retriever(stage, graphs, judged, epochs)

    def _menu_graph(self, row: Row, weights: Any, sets: Any) -> Any:
        self.seen.append((self.taught, row.question.group))
        return super()._menu_graph(row, weights, sets)


def test_menus_are_made_out_of_fold(tmp_path):
    """A group has the number of its first row: with three rows each, all are multiples of 3."""
    stepped = replace(tiny.library(), groups=np.arange(tiny.ROWS) // 3 * 3)
    config = replace(ONCE, folds=3)
    _, training = trained(stepped, tmp_path, config, None, Recording)
    assert isinstance(training, Recording)
    assert len(training.seen) == len(training.teach)
    for taught, group in training.seen:
        assert taught
        assert group not in taught


def test_groups_are_never_split():
    library = tiny.library()
    for share in (0.1, 0.3, 0.7):
        teach, judge = split(library, share)
        assert sorted([*teach, *judge]) == list(range(tiny.ROWS))
        groups = library.groups
        assert not {int(groups[row]) for row in teach} & {int(groups[row]) for row in judge}


def test_rows_have_their_own_paths_and_fields():
    library = tiny.library()
    rows = rows_of(library, tiny.seen(library), library, [3, 0], teach=False)
    assert [row.question.text for row in rows] == [library.requests[3], library.requests[0]]
    first = library.paths[0].tolist()
    assert rows[1].path == [library.tools[tool] for tool in dict.fromkeys(first)]
    assert len(rows[1].path) == len(first) - 1  # row 0 calls one tool twice


def test_a_model_begins_with_another_one(tmp_path, model):
    """Training a library begins with the prior, which has no text vectors: they begin with 0."""
    from spm.gnn.networks.retriever import Retriever
    from spm.gnn.training.recipe import warm

    bare, full = widths(Inputs(vectors=False))[0], widths()[0]
    known = {k: v.numpy() for k, v in Retriever(bare).state_dict().items()}
    network = Retriever(full)
    warm(network, known)
    found = network.state_dict()
    assert not found["enter.weight"][:, :128].any()
    np.testing.assert_array_equal(found["enter.weight"][:, 128:].numpy(), known["enter.weight"])
    np.testing.assert_array_equal(found["slot.weight"].numpy(), known["slot.weight"])
    warm(network, model.retriever)
    np.testing.assert_array_equal(
        network.state_dict()["enter.weight"].numpy(), model.retriever["enter.weight"]
    )
