"""Linting what is registered, or sources before they are."""

import json
from dataclasses import asdict
from typing import Any

from spm.registry.formats.detection import read_source
from spm.registry.lint import Verdict, lint
from spm.registry.models import ToolSpec, tool_id
from spm.registry.store import Store


def judge(store: Store, sources: list[str], format: str | None = None) -> list[Verdict]:
    """Judge the tools of sources beside what is registered, or else everything registered.

    Raises:
        ManifestError: a source cannot be read.
    """
    known = registered(store)
    if not sources:
        return lint(known)
    read = [read_source(text, format=format) for text in sources]
    given = {
        tool_id(source.manifest.service.name, tool.name): tool
        for source in read
        for tool in source.manifest.tools
    }
    return lint(given, others=known)


def registered(store: Store) -> dict[str, ToolSpec]:
    """The current definition of every tool."""
    ids = [row["id"] for row in store.read("tools/names")]
    return {
        row["id"]: ToolSpec.model_validate(json.loads(row["definition"]))
        for row in store.read("tools/definitions", ids=ids)
    }


def as_row(verdict: Verdict) -> dict[str, Any]:
    """A verdict for JSON, with its score."""
    return {"score": verdict.score, **asdict(verdict)}
