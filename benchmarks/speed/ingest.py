"""How fast a registry takes tools and trajectories, on whichever engine it stands."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.speed import generator
from spm.registry.registry import Registry


@dataclass(frozen=True)
class Load:
    """One measured loading; `transitions` are the distinct ones. Rates per second of wall time."""

    engine: str
    tools: int
    trajectories: int
    observed: int
    transitions: int
    register_seconds: float
    again_seconds: float
    import_seconds: float

    @property
    def tools_per_second(self) -> float:
        """Tools registered per second, the first time."""
        return self.tools / self.register_seconds

    @property
    def again_ratio(self) -> float:
        """How many times faster the unchanged registration was than the first."""
        return self.register_seconds / self.again_seconds

    @property
    def transitions_per_second(self) -> float:
        """Observed transitions counted per second of import."""
        return self.observed / self.import_seconds


def measure(
    registry: Registry,
    tools: int,
    trajectories: int,
    progress: Callable[[str, int, int], None] | None = None,
) -> Load:
    """Register a generated library twice, then import trajectories over it."""
    library = list(generator.manifests(tools))
    observed = list(generator.traces(tools, trajectories))

    def register(label: str) -> float:
        start = time.perf_counter()
        for number, manifest in enumerate(library, 1):
            registry.register(manifest)
            if progress:
                progress(label, number, len(library))
        return time.perf_counter() - start

    first, again = register("Registering"), register("Registering again")
    start = time.perf_counter()
    registry.import_traces(observed)
    imported = time.perf_counter() - start
    status = registry.status()
    return Load(
        engine=registry.store.engine,
        tools=status["tools"],
        trajectories=status["trajectories"],
        observed=sum(len(trace.steps) - 1 for trace in observed),
        transitions=status["transitions"],
        register_seconds=first,
        again_seconds=again,
        import_seconds=imported,
    )
