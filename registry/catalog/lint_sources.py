"""Runs lint on registered tools, or on sources before they are registered."""

from collections import defaultdict
from dataclasses import asdict
from typing import Any

from spm.registry.catalog.lint import Verdict, lint
from spm.registry.catalog.tools import definitions
from spm.registry.importers.detection import read_source
from spm.registry.models import OutputSpec, ToolSpec, tool_id
from spm.registry.store.interface import Store


def judge(store: Store, sources: list[str], format: str | None = None) -> list[Verdict]:
    """Judge the tools of sources beside what is registered, or else everything registered.

    Raises:
        ManifestError: a source cannot be read.
    """
    known, request_fields = registered(store), _made(store)
    if not sources:
        return lint(known, request_fields=request_fields)
    read = [read_source(text, format=format) for text in sources]
    given = {
        tool_id(source.manifest.service.name, tool.name): tool
        for source in read
        for tool in source.manifest.tools
    }
    return lint(given, others=known, request_fields=request_fields)


def registered(store: Store) -> dict[str, ToolSpec]:
    """The current definition of every tool, with the outputs that were only observed."""
    ids = [row["id"] for row in store.read("tools/names")]
    observed: dict[str, list[OutputSpec]] = defaultdict(list)
    for row in store.read("tools/outputs", ids=ids):
        if row["evidence"] == "observed":
            observed[row["id"]].append(OutputSpec(name=row["field"], type=row["type"]))
    return {
        identity: tool.model_copy(update={"outputs": (*tool.outputs, *observed[identity])})
        for identity, tool in definitions(store).items()
    }


def _made(store: Store) -> set[str]:
    """Fields that some tool makes, or that a person declared the same as one."""
    made = {row["field"] for row in store.read("fields/overview") if row["producers"]}
    pairs = [(row["field"], row["same"]) for row in store.read("fields/reviewed")]
    return made | {b for a, b in pairs if a in made} | {a for a, b in pairs if b in made}


def as_row(verdict: Verdict) -> dict[str, Any]:
    """A verdict for JSON, with its score."""
    return {"score": verdict.score, **asdict(verdict)}
