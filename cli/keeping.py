"""Commands inside a warm process: the same code, with a registry that stays open."""

import io
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from spm.registry.errors import InputError, SpmError
from spm.service.terminal import identity

if TYPE_CHECKING:
    from spm.registry import Registry

_keeper: "Keeper | None" = None


class Declined(Exception):
    """This question is not for the warm process; whoever asked does it alone."""


class Keeper:
    """Holds the registry of one store open; opens it anew when what it was read from changed."""

    def __init__(self, store: str | None) -> None:
        self._store, self._own = store, identity(store)
        self._held: tuple[object, Registry] | None = None

    def registry(self, store: str | None) -> "Registry":
        """The registry, as a new process would open it at this moment.

        Raises:
            Declined: another store is meant, or this one is not ready to be only read.
        """
        if identity(store) != self._own:
            raise Declined
        if self._held is None or self._mark(self._held[1]) != self._held[0]:
            self._open()
        assert self._held is not None
        return self._held[1]

    def _open(self) -> None:
        from spm.gnn.snapshot.serving import snapshots_of
        from spm.registry import Registry

        if self._held:
            self._held[1].close()
            self._held = None
        registry = Registry.open(self._store)
        if snapshots_of(registry.store).current() is None and not registry.encoded():
            registry.close()
            raise Declined  # it would write, and keep everybody else from writing
        self._held = (self._mark(registry), registry)

    def _mark(self, registry: "Registry") -> object:
        """What menus depend on: the state of the store, and the model's file."""
        from spm.gnn.models import place

        stamp = registry.store.stamp()
        if stamp is None:
            raise Declined
        try:
            found = os.stat(place(registry.store))
        except OSError:
            return stamp, None
        return stamp, (found.st_mtime_ns, found.st_size, found.st_ino)


def kept(store: str | None) -> "Registry | None":
    """The registry of the warm process; None in every other process."""
    return _keeper.registry(store) if _keeper else None


def keep(store: str | None) -> None:
    """Make this process a warm one, and warm it up.

    Raises:
        InputError: menus of this store cannot be kept warm.
    """
    global _keeper
    _keeper = Keeper(store)
    try:
        _keeper.registry(store)
    except Declined:
        raise InputError(
            "The registry lacks vectors, or its store does not say when it changes. "
            "Make vectors with: spm encode"
        ) from None
    with suppress(SpmError):  # an empty registry has no menus yet
        _keeper.registry(store).menu("warm up")


def answer(question: Mapping[str, Any]) -> dict[str, Any] | None:
    """Run a command as if in the process that asks; None unless it ends well.

    Errors are not told from here: the process that asks meets them itself, in its own words.
    """
    from spm.cli.main import main

    said: list[list[Any]] = []
    try:
        with _as_asked(question, said):
            code = main(list(question["arguments"]))
            sys.stdout.flush()
    except Exception:
        return None
    return {"code": code, "said": said} if code == 0 else None


@contextmanager
def _as_asked(question: Mapping[str, Any], said: list[list[Any]]) -> Iterator[None]:
    """Put on the folder, the looks and the streams of the one who asks, and take them off again."""
    environment, streams, folder = dict(os.environ), (sys.stdout, sys.stderr), os.getcwd()
    shown = {str(name): str(value) for name, value in question["shown"].items()}
    out, err = (_stream(number, said, *how) for number, how in enumerate(question["streams"], 1))
    try:
        os.chdir(question["folder"])
        os.environ.update(shown)
        sys.stdout, sys.stderr = out, err
        yield
    finally:
        sys.stdout, sys.stderr = streams
        logging.getLogger().handlers.clear()  # they write to the streams of this question
        for name in shown:
            os.environ.pop(name, None)
        os.environ.update(environment)
        os.chdir(folder)


class _Raw(io.RawIOBase):
    """Bytes of one stream, in the order of both."""

    def __init__(self, number: int, said: list[list[Any]], terminal: bool) -> None:
        self._number, self._said, self._terminal = number, said, terminal

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._terminal

    def write(self, data: Any) -> int:
        text = bytes(data).decode("latin-1")
        if self._said and self._said[-1][0] == self._number:
            self._said[-1][1] += text
        else:
            self._said.append([self._number, text])
        return len(text)


def _stream(
    number: int, said: list[list[Any]], terminal: bool, encoding: str, errors: str
) -> io.TextIOWrapper:
    raw: Any = _Raw(number, said, terminal)
    return io.TextIOWrapper(raw, encoding=encoding, errors=errors, write_through=True)
