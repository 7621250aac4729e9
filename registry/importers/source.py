"""What an importer hands over: a manifest, what else the document says, and what was left out."""

from dataclasses import dataclass

from spm.registry.models import Manifest, Trace
from spm.registry.registration import Link

__all__ = ["Link", "Source"]


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
    # What the source calls itself, the same on every machine: the owner of its service name.
    origin: str = ""
