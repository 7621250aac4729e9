"""The learned constructor in an evaluation: trained on a corpus, or the shipped prior as it is."""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from spm.evaluation.corpus import Corpus
from spm.gnn.arrays.array_expansion import Question, expand
from spm.gnn.arrays.library import Library
from spm.gnn.constructor import Construction, construct, construct_steps, names
from spm.gnn.model import Model, Provenance
from spm.gnn.model_store import prior
from spm.gnn.networks.inference import networks_of
from spm.gnn.networks.passes import answered
from spm.gnn.training.config import Config, shipped
from spm.gnn.training.examples import Change, Row
from spm.registry.frontier.frontier import SIZE, Frontier


class Constructed:
    """Menus by a model, from a library.

    Args:
        library: tools and memory.
        model: the networks.
        change: what is taken from every frontier, for ablations.
    """

    def __init__(self, library: Library, model: Model, change: Change | None = None) -> None:
        self._library, self.model, self._change = library, model, change

    def frontier(self, question: Question) -> list[str]:
        """The candidates."""
        return self._expanded(question).tools

    def menu(self, question: Question) -> list[str]:
        """The whole frontier in the order of the menu."""
        return self.listed(self.construction(question))

    def menus(self, questions: Sequence[Question]) -> list[list[str]]:
        """Many at once: what they ask of the networks is computed in few passes."""
        steps = [construct_steps(self.model, self._changed(one), SIZE) for one in questions]
        return [self.listed(built) for built in answered(networks_of(self.model), steps)]

    def listed(self, built: Construction) -> list[str]:
        """The order of a menu."""
        return names(built)

    def construction(self, question: Question) -> Construction:
        """Everything that was decided."""
        return construct(self.model, self._changed(question), SIZE)

    def _changed(self, question: Question) -> Frontier:
        frontier = self._expanded(question)
        return self._change(frontier) if self._change else frontier

    def _expanded(self, question: Question) -> Frontier:
        return expand(self._library, question, sizes=self.model.design.frontier)


class Prior(Constructed):
    """The shipped prior: it never saw this library; train trajectories are only its memory."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus.library, prior())

    @classmethod
    def fingerprint(cls) -> str:
        """The prior's digest."""
        return prior().digest


class Learned(Constructed):
    """Trained on the corpus, beginning with the prior; valid chooses."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus.library, trained(corpus, start=prior()))

    @classmethod
    def fingerprint(cls) -> str:
        """The digest of what it begins with."""
        return prior().digest


class Paper(Constructed):
    """The method as it was published (`paper.yaml`), trained on the corpus from chance."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus.library, trained(corpus, config=shipped("paper")))

    @classmethod
    def fingerprint(cls) -> str:
        """What the configuration says."""
        return repr(shipped("paper"))


class Scratch(Constructed):
    """Trained on the corpus alone, beginning with chance."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus.library, trained(corpus))


def trained(
    corpus: Corpus,
    *,
    start: Model | None = None,
    folder: Path | None = None,
    change: Change | None = None,
    config: Config | None = None,
) -> Model:
    """Train both networks on a corpus; with too few trajectories the start is all there is.

    Args:
        corpus: teaches and judges.
        start: a model to begin with instead of chance.
        folder: of the run, which goes on there after a kill; else it is forgotten.
        change: what is taken from every frontier, for ablations.
        config: of the training, when not as always.
    """
    import torch

    from spm.gnn.training.recipe import LEAST, Training
    from spm.gnn.training.run_folder import Run

    rows, judge = ([replace(row, change=change) for row in part] for part in _parts(corpus))
    if start is not None and len(rows) < LEAST:
        return start
    torch.set_num_threads(1)  # on a shared machine several wait for each other
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        run = Run(place)
        run.begin({"corpus": corpus.digest, "start": start.digest if start else ""})
        training = Training(rows, judge, config or Config(), run, start)
        return training.model(Provenance("trained", corpus.encoder, 0, len(rows)))


def _parts(corpus: Corpus) -> tuple[Sequence[Row], Sequence[Row]]:
    return corpus.teach, corpus.judge
