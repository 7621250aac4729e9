"""Read manifests and trace files: bounded, without duplicates and bombs, errors with places."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from spm.registry.catalog.effects import NOTHING_SAID, of_function
from spm.registry.errors import InputError, ManifestError, TraceError
from spm.registry.models import Manifest, ToolSpec, Trace

M = TypeVar("M", bound=BaseModel)
MAX_BYTES = 20_000_000
MAX_LINE = 2_000_000
MAX_DEPTH = 64


def read_manifest(path: Path) -> Manifest:
    """Read a manifest in YAML or JSON.

    A tool that states no effects reads, unless its name or its text begins with a verb that says
    otherwise.

    Raises:
        ManifestError: the file cannot be read, parsed or validated; says where.
    """
    raw = _read(path, ManifestError)
    data = _from_json(raw, str(path), ManifestError) if _is_json(path, raw) else _yaml(raw, path)
    manifest = _validated(Manifest, data, str(path), ManifestError)
    return manifest.model_copy(update={"tools": tuple(map(_with_effects, manifest.tools))})


def _with_effects(tool: ToolSpec) -> ToolSpec:
    """Doubt a tool whose manifest left its effects out."""
    if "effects" in tool.model_fields_set:
        return tool
    decided = of_function(tool.name, tool.title, tool.description)
    if decided.effects == "read" or decided.reason == NOTHING_SAID:
        return tool
    told = {"effects": decided.effects, "effects_reason": decided.reason, "effects_derived": True}
    return tool.model_copy(update=told)


def manifest_of(document: object, name: str) -> Manifest:
    """A manifest that was loaded already.

    Raises:
        ManifestError: it is not valid; says why.
    """
    return _validated(Manifest, document, name, ManifestError)


def manifest_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a manifest."""
    schema = Manifest.model_json_schema()
    service = schema["properties"]["service"]
    service["anyOf"] = [{"type": "string"}, {"$ref": service.pop("$ref")}]
    return {
        **schema,
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "spm manifest",
    }


def read_traces(path: Path) -> Iterator[Trace]:
    """Read traces from JSON lines, one by one.

    Raises:
        TraceError: a line cannot be parsed or validated; says which.
    """
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE + 1), b""), 1):
                place = f"{path}:{number}"
                if len(line) > MAX_LINE:
                    raise TraceError(f"{place}: a line is longer than {MAX_LINE:,} bytes.")
                if line.strip():
                    data = _from_json(_decoded(line, place, TraceError), place, TraceError)
                    yield _validated(Trace, data, place, TraceError)
    except OSError as error:
        raise TraceError(f"Cannot read {str(path)!r}: {error.strerror or error}.") from error


def _read(path: Path, kind: type[InputError]) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)  # not stat: a pipe or a device says it has 0 bytes
    except OSError as error:
        raise kind(f"Cannot read {str(path)!r}: {error.strerror or error}.") from error
    if len(raw) > MAX_BYTES:
        raise kind(f"{str(path)!r} has more than {MAX_BYTES:,} bytes. Split it by service.")
    return _decoded(raw, str(path), kind)


def _decoded(raw: bytes, place: str, kind: type[InputError]) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise kind(f"{place}: not UTF-8 at byte {error.start}. Save the file as UTF-8.") from error


def _is_json(path: Path, raw: str) -> bool:
    suffix = path.suffix.lower()
    return suffix == ".json" or (
        suffix not in (".yaml", ".yml") and raw.lstrip().startswith(("{", "["))
    )


def _from_json(raw: str, place: str, kind: type[InputError]) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise kind(f"{place}: the key {twice!r} stands twice in one object.")
        return dict(pairs)

    def constant(name: str) -> Any:
        raise kind(f"{place}: {name} is not JSON.")

    try:
        return json.loads(raw, object_pairs_hook=unique, parse_constant=constant)
    except json.JSONDecodeError as error:
        line = "" if kind is TraceError else f"line {error.lineno}, "
        raise kind(
            f"{place}: not valid JSON at {line}column {error.colno}: {error.msg}. "
            "Is the file complete?"
        ) from error
    except (RecursionError, ValueError) as error:
        raise kind(f"{place}: cannot be parsed as JSON: nested too deeply or too large.") from error


def _yaml(raw: str, path: Path) -> Any:
    import yaml

    class Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
        """Safe YAML without aliases (bombs) and without keys that stand twice."""

    def mapping(loader: Any, node: Any) -> dict[Any, Any]:
        if not isinstance(node, yaml.MappingNode):
            raise yaml.MarkedYAMLError(problem="not a mapping", problem_mark=node.start_mark)
        found: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key!r} is not text", problem_mark=key_node.start_mark
                )
            if key in found:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {key!r} stands twice", problem_mark=key_node.start_mark
                )
            found[key] = loader.construct_object(value_node, deep=True)
        return found

    Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    try:
        _refuse_bombs(yaml.parse(raw, Loader=Loader), path)
        return yaml.load(raw, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise ManifestError(f"{place}: not a valid manifest: {error.problem}.") from error
    # PyYAML's constructors fail in many ways on a value that is not what its tag says.
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise ManifestError(f"{path}: not valid YAML: {error}") from error


def _refuse_bombs(events: Any, path: Path) -> None:
    depth = 0
    for event in events:
        kind = type(event).__name__
        if kind == "AliasEvent":
            raise ManifestError(
                f"{path}:{event.start_mark.line + 1}: YAML aliases (*{event.anchor}) are not "
                "accepted, because a few of them can grow without bound. Write the value out."
            )
        depth += kind.endswith("StartEvent") - kind.endswith("EndEvent")
        if depth > MAX_DEPTH:
            raise ManifestError(
                f"{path}:{event.start_mark.line + 1}: nested deeper than {MAX_DEPTH}."
            )


def _validated(model: type[M], data: Any, place: str, kind: type[InputError]) -> M:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        # A list whose only item is wrong also counts as too short; the item's mistake says enough.
        told = [e for e in error.errors() if e["type"] != "too_short"] or error.errors()
        problems = [f"{_location(e['loc'])}: {_sentence(e, kind)}" for e in told[:5]]
        more = len(told) - len(problems)
        tail = f"\n  … and {more} more" if more > 0 else ""
        raise kind(f"{place} is not valid:\n  " + "\n  ".join(problems) + tail) from error


def _location(parts: tuple[int | str, ...]) -> str:
    text = "".join(f"[{p}]" if isinstance(p, int) else f".{_shown(p)}" for p in parts)
    return text.lstrip(".") or "document"


def _shown(key: str) -> str:
    """A key of the document: whoever wrote it may have written anything."""
    short = key if len(key) <= 80 else f"{key[:80]}…"
    return short if short.isprintable() else repr(short)


def _sentence(error: Any, kind: type[InputError]) -> str:
    if error["type"] == "extra_forbidden":
        where = "with: spm tools schema" if kind is ManifestError else "in docs/traces.md"
        return f"unknown key; see the format {where}"
    message = str(error["msg"]).removeprefix("Value error, ")
    value = error.get("input")
    shown = f" (got {value!r})" if isinstance(value, str | int | float | bool) else ""
    return message + (shown if len(shown) < 80 else "")
