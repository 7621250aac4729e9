"""The registry: tools, fields and trajectories as a graph, on Neo4j or embedded."""

from spm.registry.models import Manifest, ServiceSpec, ToolSpec, Trace
from spm.registry.ranking import Menu, MenuItem, Ranker
from spm.registry.registry import Registry
from spm.registry.settings import Settings, settings

__all__ = [
    "Manifest",
    "Menu",
    "MenuItem",
    "Ranker",
    "Registry",
    "ServiceSpec",
    "Settings",
    "ToolSpec",
    "Trace",
    "settings",
]
