"""Looking a store over from outside: it must also work when the store cannot be opened."""

from dataclasses import dataclass, field
from typing import Any

from spm.registry import encoding
from spm.registry.errors import SchemaIncomplete
from spm.registry.registry import Registry, open_store
from spm.registry.settings import settings
from spm.registry.store import Finding, Store


@dataclass(frozen=True)
class Report:
    """What the doctor found."""

    findings: list[Finding]
    status: dict[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return all(finding.ok for finding in self.findings)


def examine(location: str | None) -> Report:
    """Check a store without changing it.

    Raises:
        StoreUnreachable, StoreDenied: there is nothing to examine.
    """
    store = _open(location)
    try:
        findings = store.check()
        if not all(finding.ok for finding in findings):
            return Report(findings, {"engine": store.engine, "store": store.location})
        waiting = sum(len(encoding.pending(store, kind)) for kind in encoding.KINDS)
        detail = f"{waiting} texts have no vector yet" if waiting else "every text has its vector"
        status = Registry(store).status()
        counted = ", ".join(f"{status[k]:,} {k}" for k in ("tools", "fields", "trajectories"))
        findings += [
            Finding("encoding", True, detail),
            Finding(
                "registry", True, f"{counted}; revision {status['revision']} in {store.location}"
            ),
        ]
        return Report(findings, status)
    finally:
        store.close()


def mend(location: str | None, *, accept_loss: bool = False) -> list[str]:
    """Repair a store; returns what was done.

    Raises:
        StoreDamaged: something acknowledged would be lost and `accept_loss` is false.
    """
    store = _open(location)
    try:
        return store.repair(accept_loss=accept_loss)
    finally:
        store.close()


def _open(location: str | None) -> Store:
    chosen = settings(location)
    try:
        return open_store(chosen)
    except SchemaIncomplete:
        from spm.registry.bolt import BoltStore

        return BoltStore(chosen, trusting=True)
