"""The result of an importer: a manifest, explicit links, and notes on what was left out."""

from collections.abc import Mapping
from dataclasses import dataclass

from spm.registry.catalog.registration import Link
from spm.registry.map.resources import Reading
from spm.registry.models import Manifest, Trace

__all__ = ["Link", "Source", "Unchanged"]


@dataclass(frozen=True)
class Unchanged:
    """A document that is still the one that a service was registered from."""

    name: str
    service: str


@dataclass(frozen=True)
class Source:
    """The tools of one document or server, ready to register."""

    name: str
    format: str
    manifest: Manifest
    links: tuple[Link, ...] = ()
    workflows: tuple[Trace, ...] = ()
    # What could not be mapped, in sentences for the person who registers.
    notes: tuple[str, ...] = ()
    # What tools do to which resources, by tool name; None: what their names say.
    readings: Mapping[str, Reading] | None = None
    # What the source calls itself, the same on every machine: the owner of its service name.
    origin: str = ""
    # Address and version of a document that was fetched; the same again need not be read.
    etag: str = ""
