"""From a library of trajectories to a model.

Read from top to bottom: split, examples without their own group, the first network, menus made
out of fold, the second network, and the weights that the development split chooses.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import TypeVar

import numpy as np
import torch
from torch import nn
from torch_geometric.data import Data

from spm.gnn.constructor import place_of
from spm.gnn.decoding import OrderWeights, SetWeights
from spm.gnn.features import derive
from spm.gnn.model import Model, Provenance, Weights
from spm.gnn.networks.inference import inference
from spm.gnn.networks.input_rows import widths
from spm.gnn.networks.passes import Inference
from spm.gnn.networks.request_graphs import frontier_graph, menu_graph
from spm.gnn.networks.retriever import Retriever
from spm.gnn.training import distributed
from spm.gnn.training.config import Config
from spm.gnn.training.examples import Example, Row
from spm.gnn.training.loop import Fit, Ordering, ordering_step, retriever_step
from spm.gnn.training.measures import Measures
from spm.gnn.training.packing import PackedExamples, PackedGraph, Texts
from spm.gnn.training.run_folder import Run
from spm.gnn.training.selection import best_cut, best_sets, measure_menus, measure_sets, pick
from spm.registry.errors import InputError

LEAST = 24  # trajectories below which there is nothing to learn that counting does not know

Item = TypeVar("Item")
# Hears the stage, how far it is, the loss so far and the last development measures.
Progress = Callable[[str, int, int, float, Measures | None], None]


class Training:
    """One run.

    Args:
        teach: rows to learn from.
        judge: rows to choose by.
        config: sizes, rates, seeds.
        run: the folder that remembers.
        start: a model to begin with instead of chance.
        progress: hears how far it is.
    """

    def __init__(
        self,
        teach: Sequence[Row],
        judge: Sequence[Row],
        config: Config,
        run: Run,
        start: Model | None = None,
        progress: Progress | None = None,
    ) -> None:
        if len(teach) + len(judge) < LEAST:
            raise InputError(
                f"There are {len(teach) + len(judge)} trajectories with a request; training needs "
                f"{LEAST} or more. Until then menus use the prior. "
                "Import some with: spm traces import FILE"
            )
        self.teach, self.judge, self.config, self.run = teach, judge, config, run
        self.start = config.begins_with(start)
        self.design = config.design
        self._texts = Texts()
        self._progress = progress
        self._measured: Measures | None = None
        self._leads = distributed.world()[0] == 0

    def model(self, provenance: Provenance) -> Model:
        """Train both networks and choose what is not learned."""
        config, design = self.config, self.design
        graphs = [self._frontier_graph(row) for row in self._counted("features", self.teach)]
        examples = (row.example(design.frontier) for row in self.judge)
        judged = PackedExamples(examples, self._texts)
        network, epochs = self._retriever("retriever", graphs, judged)
        sets = best_sets(_networks(network), judged, config.sets, design)
        model = Model(_arrays(network), {}, sets, config.order, 0.0, design, provenance)
        model = self._ordered(model, self._menus(graphs, sets, epochs), judged)
        model = replace(model, cut=best_cut(model, judged, config.cuts))
        # Where nobody judged nothing was measured, which is not the same as zeros.
        measured = measure_menus(model, judged).rounded() if judged else {}
        return replace(model, provenance=replace(provenance, measures=measured))

    # -- examples --------------------------------------------------------------------------

    def _frontier_graph(self, row: Row) -> PackedGraph:
        one, inputs = row.example(self.design.frontier), self.design.inputs
        place = place_of(one.frontier, one.path)
        return self._packed(frontier_graph(derive(one.frontier, inputs), place, inputs))

    def _menu_graph(self, row: Row, networks: Inference, sets: SetWeights) -> PackedGraph:
        one, inputs = row.example(self.design.frontier), self.design.inputs
        facts = derive(one.frontier, inputs)
        (chosen,), said = pick(networks, one.frontier, facts, [sets], self.design)
        place = place_of(one.frontier, one.path)
        return self._packed(
            menu_graph(one.frontier, facts, chosen, said[chosen.order], place, inputs)
        )

    def _packed(self, made: Data) -> PackedGraph:
        inputs = self.design.inputs
        return PackedGraph(made, self._texts, inputs.dimensions if inputs.vectors else 0)

    # -- networks --------------------------------------------------------------------------

    def _retriever(
        self,
        stage: str,
        graphs: Sequence[PackedGraph],
        judged: Sequence[Example] | None,
        epochs: int | None = None,
    ) -> tuple[Retriever, int]:
        """Train the first network; without `judged`, for so many epochs and unseen."""
        schedule = replace(self.config.retriever, epochs=epochs or self.config.retriever.epochs)
        torch.manual_seed(schedule.seed)
        network = Retriever(widths(self.design.inputs)[0], self.design.networks)
        if self.start:
            warm(network, self.start.retriever)

        def score(trained: nn.Module) -> Measures:
            networks = _networks(trained)
            return measure_sets(networks, [SetWeights()], judged or [], self.design)[0]

        step = partial(retriever_step, losses=self.config.retriever_losses)
        fit = Fit(network, graphs, step, schedule)
        best = self._learn(fit, stage, score if judged else None, lambda m: m.chain + m.recall)
        return network, best

    def _menus(
        self, graphs: Sequence[PackedGraph], sets: SetWeights, epochs: int
    ) -> list[PackedGraph]:
        """Every teaching row's menu, chosen by a retriever that never saw the row's group."""
        # Counted anew: groups bear the number of a row, and those may all be even, or of one fold.
        known: dict[tuple[int, int | None], int] = {}
        keys = [(id(row.library), row.question.group) for row in self.teach]
        folds = [known.setdefault(key, len(known)) % self.config.folds for key in keys]
        found: dict[int, PackedGraph] = {}
        for fold in sorted(set(folds)):
            inside = [at for at, number in enumerate(folds) if number == fold]
            outside = [at for at, number in enumerate(folds) if number != fold]
            others = [graphs[at] for at in outside or inside]
            network, _ = self._retriever(f"fold{fold + 1}", others, None, epochs)
            networks = _networks(network)
            for at in self._counted(f"menus{fold + 1}", inside):
                found[at] = self._menu_graph(self.teach[at], networks, sets)
        return [found[at] for at in sorted(found)]

    def _ordered(
        self, model: Model, menus: Sequence[PackedGraph], judged: Sequence[Example]
    ) -> Model:
        """Train the second network, with the decoder's weights."""
        torch.manual_seed(self.config.reranker.seed)
        network = Ordering(self.config)
        if self.start:
            warm(network.reranker, self.start.reranker)
        if self.start and self.config.learned:
            network.weights.data = torch.from_numpy(self.start.orders.array())

        def score(trained: nn.Module) -> Measures:
            return measure_menus(_with_order(model, trained), judged)

        fit = Fit(network, menus, ordering_step, self.config.reranker, self.config.further)
        self._learn(fit, "reranker", score if judged else None, lambda m: m.order)
        return _with_order(model, network)

    def _learn(
        self,
        fit: Fit,
        stage: str,
        score: Callable[[nn.Module], Measures] | None,
        value: Callable[[Measures], float],
    ) -> int:
        """Train until the schedule or the patience ends; leaves the best weights, says when."""
        if state := self.run.kept(stage):
            fit.restore(state)
        best, chooses = self.run.kept(f"{stage}-best"), self.config.keep == "best"
        while fit.epoch < fit.schedule.epochs:
            waited = fit.epoch - int(best["epoch"]) if best else 0
            if score and chooses and waited >= self.config.patience:
                break
            loss = fit.run(lambda done, total, mean: self._report(stage, done, total, mean))
            measured = score(fit.network) if score else None
            now = value(measured) if measured and chooses else float(fit.epoch)
            if best is None or now > float(best["value"]):
                state = {
                    **fit.state(),
                    "value": torch.tensor(now, dtype=torch.float64, device="cpu"),
                }
                best = {name: tensor.clone() for name, tensor in state.items()}
            self._measured = measured or self._measured
            if self._leads:
                self.run.record(stage, fit.epoch, loss, measured)
                self.run.keep(f"{stage}-best", best)
                self.run.keep(stage, fit.state())
        assert best is not None  # a schedule has at least one epoch
        fit.restore(best)
        return int(best["epoch"])

    # -- telling ---------------------------------------------------------------------------

    def _report(self, stage: str, done: int, total: int, loss: float) -> None:
        if self._progress and self._leads:
            self._progress(stage, done, total, loss, self._measured)

    def _counted(self, stage: str, items: Sequence[Item]) -> Iterator[Item]:
        for done, item in enumerate(items, 1):
            yield item
            self._report(stage, done, len(items), 0.0)


def _with_order(model: Model, ordering: nn.Module) -> Model:
    assert isinstance(ordering, Ordering)
    found = ordering.weights.detach().cpu().tolist()
    names = [part.name for part in fields(OrderWeights)]
    weights = OrderWeights(**{n: round(w, 6) for n, w in zip(names, found, strict=True)})
    return replace(model, reranker=_arrays(ordering.reranker), orders=weights)


def _networks(retriever: nn.Module) -> Inference:
    """The first network as menus compute it."""
    return inference(_arrays(retriever), {})


def _arrays(network: nn.Module) -> Weights:
    state = network.state_dict()
    return {name: value.detach().cpu().numpy().copy() for name, value in state.items()}


def warm(network: nn.Module, weights: Weights) -> None:
    """Begin with another model's weights; inputs that it did not have begin with nothing."""
    state = network.state_dict()
    for name, value in weights.items():
        found = torch.from_numpy(np.array(value))
        if state[name].shape != found.shape:  # text vectors stand in front of the features
            grown = torch.zeros_like(state[name])
            grown[:, -found.shape[1] :] = found
            found = grown
        state[name] = found
    network.load_state_dict(state)
