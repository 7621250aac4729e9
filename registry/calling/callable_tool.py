"""A tool as it may be called, and the one way in which a backend says that it could not."""

from dataclasses import dataclass
from typing import Any

from spm.registry.models import ToolSpec

Json = dict[str, Any]


class Failed(Exception):
    """A call that a backend could not make; says why in words for the model."""


class NotCalled(Failed):
    """A call that was never sent, so that it says nothing about the tool."""


@dataclass(frozen=True)
class Tool:
    """One tool as the model may call it.

    Attributes:
        id: under which the registry knows it.
        spec: its registered definition.
        takes: the schema of its arguments, as the model was shown it.
    """

    id: str
    spec: ToolSpec
    takes: Json
