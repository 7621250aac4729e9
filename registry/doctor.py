"""Looking a store over from outside: it must also work when the store cannot be opened."""

from dataclasses import dataclass, field
from typing import Any

from spm.registry import encoding
from spm.registry.errors import SchemaIncomplete
from spm.registry.map.map_rows import RULES
from spm.registry.map_renewal import renew_map, services_behind
from spm.registry.registry import Registry, open_store
from spm.registry.settings import settings
from spm.registry.store.interface import Finding, Store
from spm.registry.store.presence import has_registry


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
        StoreError: there is nothing to examine, or nobody lets us.
    """
    begun = has_registry(settings(location))
    store = _open(location)
    try:
        findings = store.check()
        if not all(finding.ok for finding in findings):
            return Report(findings, {"engine": store.engine, "store": store.location})
        findings.append(_map(store))
        waiting = encoding.count_waiting(store)
        detail = f"{waiting} texts have no vector yet" if waiting else "every text has its vector"
        status = Registry(store).status()
        counted = ", ".join(f"{status[k]:,} {k}" for k in ("tools", "fields", "trajectories"))
        said = f"{counted}; revision {status['revision']} in {store.location}"
        if not begun:
            said = f"nothing in {store.location} yet. Load the demo with: spm demo"
        findings += [Finding("encoding", True, detail), Finding("registry", True, said)]
        return Report(findings, status)
    finally:
        store.close()


def mend(location: str | None, *, accept_loss: bool = False) -> list[str]:
    """Repair a store; returns what was done.

    Raises:
        StoreError: there is nothing to repair.
        StoreDamaged: something acknowledged would be lost and `accept_loss` is false.
    """
    if not has_registry(settings(location)):
        return []
    store = _open(location)
    try:
        done = store.repair(accept_loss=accept_loss)
        behind = renew_map(store)
        return [*done, f"made the map of {len(behind)} services"] if behind else done
    finally:
        store.close()


def _map(store: Store) -> Finding:
    """Whether each service has a map by the rules of today; the next write makes those missing."""
    behind = services_behind(store)
    if not behind:
        return Finding("map", True, f"every service has its map by rules {RULES}")
    named = ", ".join(behind[:3]) + (", …" if len(behind) > 3 else "")
    said = f"{len(behind)} services have none by rules {RULES} ({named}); the next write makes it, "
    return Finding("map", True, said + "or now: spm doctor --repair")


def _open(location: str | None) -> Store:
    chosen = settings(location)
    try:
        return open_store(chosen)
    except SchemaIncomplete:
        from spm.registry.store.neo4j_store import BoltStore

        return BoltStore(chosen, trusting=True)
