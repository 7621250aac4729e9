"""What an importer hands over: a manifest, what else the document says, and what was left out."""

from dataclasses import dataclass

from spm.registry.models import Manifest, Trace


@dataclass(frozen=True)
class Link:
    """An explicit edge: a field that one tool returns is an input of another."""

    producer: str
    output: str
    consumer: str
    input: str


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
