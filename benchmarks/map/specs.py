"""Specifications and labels: files, a registry of them, and which tool an operation became."""

import gzip
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import spm
from spm.registry.importers.detection import read_source
from spm.registry.importers.source import Source
from spm.registry.models import tool_id

LABELS = Path(__file__).parent / "labels"
PARTS = ("dev", "test", "extra")
_PARAMETER = re.compile(r"\{[^{}]*\}")


def labels(kind: str, part: str) -> list[dict[str, Any]]:
    """The labels of a kind: `effects`, `edges`, `fields` or `requests`."""
    lines = (LABELS / f"{kind}_{part}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def apis(rows: Iterable[dict[str, Any]]) -> list[str]:
    """The APIs that labels speak of."""
    return sorted({row["api"] for row in rows})


def document(folder: Path, api: str, scratch: Path) -> Path | None:
    """The specification of an API as a plain JSON file; None where the folder has none."""
    plain, packed = folder / f"{api}.json", folder / f"{api}.json.gz"
    if plain.exists():
        return plain
    if not packed.exists():
        return None
    scratch.mkdir(parents=True, exist_ok=True)
    target = scratch / plain.name
    if not target.exists():
        target.write_bytes(gzip.decompress(packed.read_bytes()))
    return target


def read(path: Path, api: str) -> Source:
    """Read a specification as `spm tools register` would, under the name of its API."""
    return read_source(str(path), service=api)


def operation(method: str, path: str) -> str:
    """An operation without the spelling of its parameters: `GET /pods/{}`."""
    return f"{method.upper()} {_PARAMETER.sub('{}', path.rstrip('/'))}"


def tools_by_operation(source: Source, api: str) -> dict[str, str]:
    """The id of the tool that each operation became."""
    found = {}
    for tool in source.manifest.tools:
        call = tool.call or {}
        name = operation(str(call.get("method", "")), str(call.get("path", "")))
        found[name] = tool_id(api, tool.name)
    return found


def find(tools: dict[str, str], label: str) -> str | None:
    """The tool of an operation as labels write it: `GET /pods/{name}`."""
    method, _, path = label.partition(" ")
    return tools.get(operation(method, path))


def registry(folder: Path, names: Iterable[str], store: Path) -> spm.Registry:
    """A registry of specifications, made anew when there is none."""
    opened = spm.open(store)
    if not opened.status()["tools"]:
        for name in names:
            path = document(folder, name, store.parent / "specs")
            if path is not None:
                opened.register(path, service=name)
    return opened
