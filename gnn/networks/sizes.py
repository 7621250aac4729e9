"""Sizes that the networks, their features and their numpy twin share, without importing torch."""

from dataclasses import dataclass
from typing import ClassVar

from spm.registry.menus.menu import PREFIX

VECTOR = 64  # dimensions of a text vector that the networks see
WIDTH = 128
HEADS = 4
INNER = 512
LAYERS = 2
RELATIONS = 5
SUMMARIES = 4


@dataclass(frozen=True)
class Sizes:
    """How large both networks are.

    Attributes:
        width: of a tool's state.
        heads: of attention; each sees a part of the width.
        inner: width of the small network for each tool.
        layers: of attention.
        summaries: learned path-summary tokens of the first network.
        slots: places of a path that both networks tell apart: as many as a menu's prefix is long.
        dropout: share of values that training drops.
    """

    width: int = WIDTH
    heads: int = HEADS
    inner: int = INNER
    layers: int = LAYERS
    summaries: int = SUMMARIES
    slots: int = PREFIX
    dropout: float = 0.08

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    def __post_init__(self) -> None:
        for name in ("width", "heads", "inner", "layers"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} (got {getattr(self, name)}) must be 1 or more")
        if self.width % self.heads:
            raise ValueError(f"heads (got {self.heads}) must divide width (got {self.width})")
        if self.summaries < 0:
            raise ValueError(f"summaries (got {self.summaries}) must not be negative")
        if self.slots != PREFIX:
            raise ValueError(f"slots (got {self.slots}) must be {PREFIX}, a menu's prefix")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout (got {self.dropout}) must be from 0 to below 1")


SHIPPED = Sizes()
