"""Objects that live as long as an open registry, such as its mapped snapshots."""

from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")


class Runtime:
    """Holds at most one object of each class.

    Layers above the registry put here what they open once and share between their functions, so
    that no module needs a variable for the whole process. It is not shared between threads: each
    thread opens a registry of its own.
    """

    def __init__(self) -> None:
        self._objects: dict[type, object] = {}

    def get(self, kind: type[T], make: Callable[[], T]) -> T:
        """Return the object of a class, made by `make` when it is first asked for."""
        if kind not in self._objects:
            self._objects[kind] = make()
        return cast(T, self._objects[kind])

    def clear(self) -> None:
        """Let go of all objects."""
        self._objects.clear()
