"""The registry: tools, fields and trajectories as a graph, on Neo4j or embedded.

Names are loaded when they are first used, so that `spm --help` does not pay for pydantic and numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spm.registry.access import Caller
    from spm.registry.models import Manifest, ServiceSpec, ToolSpec, Trace
    from spm.registry.ranking import Ask, Menu, MenuItem, Ranker, WhyNot
    from spm.registry.registry import Registry
    from spm.registry.settings import Settings

__all__ = [
    "Ask",
    "Caller",
    "Manifest",
    "Menu",
    "MenuItem",
    "Ranker",
    "Registry",
    "ServiceSpec",
    "Settings",
    "ToolSpec",
    "Trace",
    "WhyNot",
]

_HOME = {
    "Ask": "ranking",
    "Caller": "access",
    "WhyNot": "ranking",
    "Manifest": "models",
    "ServiceSpec": "models",
    "ToolSpec": "models",
    "Trace": "models",
    "Menu": "ranking",
    "MenuItem": "ranking",
    "Ranker": "ranking",
    "Registry": "registry",
    "Settings": "settings",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
