"""The snapshot of a store: where it lies, whether it is of this moment, and who writes it.

A file answers only for the state whose stamp is in its name and header. The stamp is asked of the
store with every menu: on the embedded engine two small reads of the journal and of the vectors'
index, without opening the graph; on a server one query. A file of another state, of another
format, or a damaged one is not looked at, and the database answers.

The first menu that finds no file writes one, because it would otherwise read and index the same
texts for itself alone; on a server, where all goes over the line, only up to `LAZY` texts. `spm
encode` writes it for any size, and a service renews it (`renewal_process`). Where nothing can be
written, the database answers.
"""

import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from spm.gnn.snapshot import container
from spm.gnn.snapshot.container import Container, Unusable
from spm.gnn.snapshot.snapshot import Snapshot
from spm.gnn.snapshot.view import View
from spm.registry.access.caller import Caller
from spm.registry.errors import StoreError
from spm.registry.search import bm25
from spm.registry.store import disk
from spm.registry.store.interface import Store

if TYPE_CHECKING:
    from spm.registry.registry import Registry

log = logging.getLogger("spm")
FORMAT = 9  # raise it when the arrays mean something else
LAZY = 5_000
CALLERS = 16  # how many views are kept; one of 16,000 tools and 20,000 trajectories has 10 MB
_SUFFIX = ".snapshot"


def snapshots_of(registry: "Registry") -> "Snapshots":
    """Return the snapshots of a registry: one object, so that each file is mapped once."""
    return registry.runtime.get(Snapshots, lambda: Snapshots(registry.store))


class Snapshots:
    """Opens the snapshots of one store, keeps the newest, and views of it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: tuple[str, Snapshot] | None = None
        self._views: dict[Caller, View] = {}
        self._refused: str | None = None

    def current(self) -> Snapshot | None:
        """The snapshot of the state that the store is in; None: ask the store."""
        stamp = self._store.stamp()
        if stamp is None:
            return None
        if self._open is None or self._open[0] != stamp:
            self._keep(stamp, self._read(stamp))
        return self._open[1] if self._open is not None else None

    def made(self) -> Snapshot | None:
        """The same, written first where that is due; see the module."""
        found = self.current()
        if found is None and self._due():
            return self.write()
        return found

    def view(self, snapshot: Snapshot, caller: Caller) -> View:
        """What a caller sees of the snapshot; the latest callers' are kept."""
        found = self._views.pop(caller, None)
        if found is None or found.snapshot is not snapshot:
            found = View.of(snapshot, caller)
        self._views[caller] = found
        if len(self._views) > CALLERS:
            self._views.pop(next(iter(self._views)), None)
        return found

    def write(self) -> Snapshot | None:
        """Write the snapshot of this state, and remove those of others.

        Returns:
            The snapshot; None when texts lack vectors, somebody wrote meanwhile, or there is no
            place to write.
        """
        from spm.gnn.snapshot.writer import collect

        stamp = self._store.stamp()
        if stamp is None:
            return None
        self._refused = stamp  # whatever comes: this state is not tried again and again
        made = collect(self._store, self._before())
        if made is None or self._store.stamp() != stamp:
            return None
        path = self._path(stamp)
        try:
            disk.make_folder(path.parent)
            container.write(path, {**made[0], **_written(stamp)}, made[1])
        except StoreError as error:
            log.debug("No snapshot: %s", error)
            return None
        self._remove_others(path)
        return self.current()

    def _due(self) -> bool:
        stamp = self._store.stamp()
        if stamp is None or stamp == self._refused:
            return False
        if self._store.engine == "embedded":
            return os.access(self.folder(), os.W_OK)
        counts = self._store.read("state/counts")[0]
        return bool(counts["tools"] + counts["trajectories"] <= LAZY)

    def _before(self) -> Container | None:
        """The snapshot that is there, of whatever state: what has not changed is copied."""
        if self._open is not None:
            return self._open[1].container
        with suppress(OSError):
            for path in sorted(self.folder().glob(f"*{_SUFFIX}"), key=lambda p: p.stat().st_mtime):
                with suppress(Unusable, OSError):
                    found = container.read(path)
                    if _fits(found):
                        return found
        return None

    def _read(self, stamp: str) -> Snapshot | None:
        try:
            found = container.read(self._path(stamp))
        except FileNotFoundError:
            return None
        except (Unusable, OSError) as error:
            log.debug("The snapshot %s is not used: %s", self._path(stamp), error)
            return None
        return Snapshot(found) if _fits(found) and found.said["stamp"] == stamp else None

    def _keep(self, stamp: str, found: Snapshot | None) -> None:
        self._open = None if found is None else (stamp, found)
        self._views = {}

    def _remove_others(self, path: Path) -> None:
        for other in path.parent.glob(f"*{_SUFFIX}"):
            if other != path:
                with suppress(OSError):  # whoever has it open keeps it
                    other.unlink()

    def _path(self, stamp: str) -> Path:
        return self.folder() / f"{stamp}{_SUFFIX}"

    def folder(self) -> Path:
        """Where the snapshots of this store lie."""
        if self._store.engine == "embedded":
            return Path(self._store.location)
        from platformdirs import user_cache_path

        return user_cache_path("spm") / "snapshots" / disk.name_of(self._store.location)


def _written(stamp: str) -> dict[str, object]:
    return {"format": FORMAT, "terms": bm25.VERSION, "stamp": stamp}


def _fits(found: Container) -> bool:
    return (found.said.get("format"), found.said.get("terms")) == (FORMAT, bm25.VERSION)
