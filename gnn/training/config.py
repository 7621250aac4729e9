"""The configuration of a training: every rate, weight, width and feature, read from YAML.

`default.yaml` beside this module says what `spm train` does unless told otherwise, `paper.yaml`
what the paper says. A file may leave out what shall be as in `default.yaml`.
"""

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Literal

from spm.gnn.decoding import OrderWeights, SetWeights
from spm.gnn.model import Design, Model
from spm.registry.errors import InputError

SHIPPED = ("default", "paper")
# What the development split chooses among: the weights of the set decoder, simplest first, and the
# probability from which a leading tool counts as part of the route.
SETS = (
    SetWeights(),
    SetWeights(slot=0.05, field=0.05),
    SetWeights(field=0.1),
    SetWeights(slot=0.1),
    SetWeights(alike=0.03),
    SetWeights(slot=0.45, field=0.45, alike=0.12),  # the paper's
)
CUTS = tuple(round(0.05 * step, 2) for step in range(2, 19))
# Terms of the order that the path loss reads from the pair features.
FROM_PAIRS = {"follows": "follows", "fed": "feeds", "recalled": "recalled_next"}


@dataclass(frozen=True)
class Schedule:
    """How long and how fast a network learns.

    Attributes:
        rate: of AdamW.
        epochs: at most.
        seed: of weights, dropout and the order of examples.
        batch: examples in a step.
        decay: of weights.
        clip: the largest norm of a gradient.
        pace: whether the rate stays as it is, or rises over a tenth of all steps and falls to
            nothing along a cosine.
    """

    rate: float
    epochs: int
    seed: int
    batch: int = 8
    decay: float = 0.01
    clip: float = 1.0
    pace: Literal["cosine", "constant"] = "cosine"

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    def __post_init__(self) -> None:
        for name, least in (("rate", 0.0), ("decay", 0.0), ("clip", 0.0), ("seed", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} (got {getattr(self, name)}) must not be negative")
        for name in ("epochs", "batch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} (got {getattr(self, name)}) must be 1 or more")


@dataclass(frozen=True)
class RetrieverLosses:
    """What the first network is trained for.

    Attributes:
        gold: weight of a tool of the path in the loss of membership, where others weigh 1.
        hard: weight of a hard negative in it.
        alike: so many of the other tools that resemble the request most are hard,
        boundary: and those that the network ranks so close to the menu's edge.
        edge: of the margin by which tools of the path stand before those that would displace them.
        margin: how large that is.
        slot: of who stands at which place.
        entry: of who stands at the first place, besides.
    """

    gold: float = 4.0
    hard: float = 2.0
    alike: int = 16
    boundary: int = 8
    edge: float = 0.5
    margin: float = 2.0
    slot: float = 0.3
    entry: float = 0.0

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


@dataclass(frozen=True)
class RerankerLosses:
    """What each of the second network's losses counts; these are the paper's."""

    entry: float = 0.55
    slot: float = 0.55
    precedence: float = 0.75
    member: float = 0.30
    path: float = 1.15

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


@dataclass(frozen=True)
class Config:
    """Everything that a run depends on, besides the trajectories.

    Attributes:
        retriever: how the first network learns.
        reranker: how the second one does.
        development: share of the groups that choose and never teach.
        folds: retrievers that make the second network's training menus, each for the rows that it
            never saw.
        patience: epochs without a better development measure before a network stops.
        keep: the weights of the best epoch on the development split, or of the last one.
        start: whether the networks begin with the shipped prior, or with chance.
        retriever_losses: what the first network is trained for.
        reranker_losses: what the second one is trained for.
        sets: weights of the set decoder, of which the development split chooses; one is fixed.
        cuts: likewise, where the route ends.
        order: weights of the order decoder, or where they begin.
        learned: whether these are learned with the path loss.
        further: how much faster than the network they learn.
        design: what the model reads, how large it is, and how its numbers become a menu.
    """

    retriever: Schedule = field(default_factory=lambda: Schedule(8e-4, 2, 20260525))
    reranker: Schedule = field(default_factory=lambda: Schedule(4e-4, 4, 17))
    development: float = 0.1
    folds: int = 3
    patience: int = 2
    keep: Literal["best", "last"] = "best"
    start: Literal["prior", "chance"] = "prior"
    retriever_losses: RetrieverLosses = field(default_factory=RetrieverLosses)
    reranker_losses: RerankerLosses = field(default_factory=RerankerLosses)
    sets: tuple[SetWeights, ...] = SETS
    cuts: tuple[float, ...] = CUTS
    order: OrderWeights = field(default_factory=OrderWeights)
    learned: bool = True
    # At the networks' rate they stayed where they began.
    further: float = 25.0
    design: Design = field(default_factory=Design)

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    def __post_init__(self) -> None:
        if not 0 <= self.development < 1:
            raise ValueError(f"development (got {self.development}) must be from 0 to below 1")
        for name in ("folds", "patience"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} (got {getattr(self, name)}) must be 1 or more")
        if not self.sets or not self.cuts:
            raise ValueError("sets and cuts need an entry each")
        for term, feature in FROM_PAIRS.items():
            if getattr(self.order, term) and feature not in self.design.inputs.pair:
                raise ValueError(f"order.{term} needs the pair feature {feature!r}, or weight 0")

    def begins_with(self, start: Model | None) -> Model | None:
        """The model to begin with, where it reads the same features.

        Raises:
            InputError: it does not.
        """
        if start is None:
            return None
        ours, theirs = self.design, start.design
        for name in ("candidate", "chosen", "pair"):
            if getattr(ours.inputs, name) != getattr(theirs.inputs, name):
                raise InputError(
                    f"The model {start.provenance.name!r} reads other {name} features than this "
                    "configuration. Begin with chance (start: chance, or --scratch)."
                )
        for name in ("width", "heads", "inner", "layers", "summaries", "slots"):
            if getattr(ours.networks, name) != getattr(theirs.networks, name):
                raise InputError(
                    f"The model {start.provenance.name!r} has another {name} than this "
                    "configuration. Begin with chance (start: chance, or --scratch)."
                )
        return start


def read(name: str | Path) -> Config:
    """Read a configuration: a file, or one of those that are shipped (`paper`, `paper.yaml`).

    Raises:
        InputError: there is none, or it says something that cannot be used.
    """
    path = Path(name)
    if path.is_file():
        try:
            return parsed(path.read_text(encoding="utf-8"), str(name))
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"Cannot read the configuration {str(name)!r}: {error}.") from error
    if path.name == str(name) and path.name.removesuffix(".yaml") in SHIPPED:
        return shipped(path.name.removesuffix(".yaml"))
    raise InputError(
        f"There is no configuration {str(name)!r}. Name a file, or one of those that are shipped: "
        f"{', '.join(SHIPPED)}."
    )


@cache
def shipped(name: str) -> Config:
    """A configuration of this package."""
    return parsed(text_of(name), f"{name}.yaml")


def text_of(name: str) -> str:
    """The file of a configuration of this package, with its comments."""
    return (files("spm.gnn.training") / f"{name}.yaml").read_text(encoding="utf-8")


def parsed(text: str, name: str) -> Config:
    """A configuration from the text of a file of this name.

    Raises:
        InputError: it says something that cannot be used.
    """
    import yaml
    from pydantic import TypeAdapter, ValidationError

    try:
        said: Any = yaml.safe_load(text)
        return TypeAdapter(Config).validate_python({} if said is None else said)
    except yaml.YAMLError as error:
        raise InputError(f"The configuration {name!r} is no YAML: {error}") from error
    except ValidationError as error:
        found = "; ".join(_as_text(one) for one in error.errors()[:5])
        raise InputError(f"The configuration {name!r} cannot be used: {found}.") from error


def _as_text(error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"])
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"there is no key {place!r}"
    said = str(error["msg"]).removeprefix("Value error, ")
    return f"{place}: {said}" if place else said
