"""Read Arazzo documents (1.0, 1.1): declared workflows become traces and explicit edges.

Also reads the runtime expressions that Arazzo shares with OpenAPI's links. The tools themselves
come from the OpenAPI documents that a workflow names; this module opens none of them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from pydantic import ValidationError

from spm.registry.catalog.naming import fold, words
from spm.registry.errors import ManifestError
from spm.registry.importers.references import Notes, clean
from spm.registry.importers.source import Link, Source
from spm.registry.models import Step, Trace, tool_id

MAX_STEPS = 1_000
MAX_WORKFLOWS = 10_000
MAX_NESTING = 5  # of workflows in workflows
_EXPRESSION = re.compile(r"\{?\$(response|request)\.(body|header|path|query)(?:[#.](.+?))?\}?")
_STEP_OUTPUT = re.compile(r"\$steps\.([\w-]+)(?:\.outputs\.([\w.-]+))?")
_SOURCE = re.compile(r"\$sourceDescriptions\.([\w-]+)\.?(.*)")

# Answers the tools of a source description, by its name and URL, or None when they are not known.
ResolveSource = Callable[[str, str], Source | None]


@dataclass(frozen=True)
class Workflows:
    """What an Arazzo document declares; it has no tools of its own."""

    name: str
    traces: tuple[Trace, ...]
    links: tuple[Link, ...] = ()
    notes: tuple[str, ...] = ()


def read_arazzo(
    document: object, name: str, resolve_source: ResolveSource | None = None
) -> Workflows:
    """Read the workflows of a document that was loaded from JSON or YAML.

    Args:
        document: the document.
        name: where it comes from, for messages.
        resolve_source: answers the tools of a source description; the steps then carry tool ids
            (`service/tool`), else the bare operationId.

    Raises:
        ManifestError: this is no Arazzo document, or no workflow in it can be used.
    """
    if not isinstance(document, dict) or not str(document.get("arazzo", "")).startswith("1."):
        raise ManifestError(f"{name}: not an Arazzo document of version 1.")
    reader = _Reader(document, resolve_source)
    traces = reader.traces()
    if not traces:
        why = " ".join(reader.notes.sentences())
        raise ManifestError(f"{name}: no workflow in it can be used. {why}".strip())
    return Workflows(name, tuple(traces), tuple(reader.links), reader.notes.sentences())


def answered(expression: object, outputs: Mapping[tuple[str, ...], str] | None = None) -> str:
    """The field that a runtime expression reads: `$response.body#/data/id` is the id there.

    Args:
        expression: of a link or a step; anything else reads nothing.
        outputs: field names by the property names that lead to them, where they are known.
    """
    found = _EXPRESSION.fullmatch(expression) if isinstance(expression, str) else None
    if not found or not found[3]:
        return ""
    parts = [p.replace("~1", "/").replace("~0", "~") for p in found[3].split("/")]
    if found[2] == "body" and "/" not in found[3]:
        parts = re.split(r"[.\[\]]+", found[3])  # Arazzo's other way to write it
    path = tuple(p for p in parts if p and not p.isdigit() and p != "*")
    if found[1] == "response" and found[2] == "body" and outputs and path in outputs:
        return outputs[path]
    name = " ".join(clean(path[-1]).split()) if path else ""
    return name if fold(name) else ""


def place_of(reference: object) -> tuple[str, str]:
    """Method and path of an operation from a pointer such as `#/paths/~1orders~1{id}/get`."""
    found = re.search(r"#/paths/([^/]+)/(\w+)$", reference) if isinstance(reference, str) else None
    if not found:
        return "", ""
    return found[2].lower(), unquote(found[1]).replace("~1", "/").replace("~0", "~")


@dataclass(frozen=True)
class _Call:
    """A step of a workflow, or of a workflow in it, that calls a tool."""

    tool: str
    step: dict[str, Any]
    steps: dict[str, "list[_Call]"]


class _Reader:
    """One document, with what was found in it so far."""

    def __init__(self, document: dict[str, Any], resolve_source: ResolveSource | None) -> None:
        self.document = document
        self.notes = Notes()
        self.links: dict[Link, None] = {}
        self._sources: dict[str, Source | None] = {}
        for source in _dicts(document.get("sourceDescriptions")):
            label, url = str(source.get("name", "")), str(source.get("url", ""))
            self._sources[label] = resolve_source(label, url) if resolve_source else None
        self._workflows: dict[str, dict[str, Any]] = {}
        for workflow in _dicts(document.get("workflows"))[:MAX_WORKFLOWS]:
            identity = workflow.get("workflowId")
            if not isinstance(identity, str) or not fold(clean(identity)):
                self.notes.add("Workflows without a usable workflowId", repr(identity))
            elif identity in self._workflows:
                self.notes.add("Workflows whose workflowId stands twice", identity)
            else:
                self._workflows[identity] = workflow

    def traces(self) -> list[Trace]:
        return [t for identity in self._workflows if (t := self._trace(identity))]

    def _trace(self, identity: str) -> Trace | None:
        calls = self._calls(identity, ())
        self.links.update(dict.fromkeys(link for call in calls for link in _links(call)))
        if len(calls) > MAX_STEPS:
            self.notes.add(f"Workflows cut to {MAX_STEPS:,} steps", identity)
        try:
            return Trace(
                trace_id=f"arazzo:{clean(identity)}"[:256],
                request=self._request(identity),
                steps=tuple(Step(tool=call.tool) for call in calls[:MAX_STEPS]),
                source="arazzo",
            )
        except ValidationError:
            self.notes.add("Workflows without a step that calls a known kind of tool", identity)
            return None

    def _request(self, identity: str) -> str:
        workflow = self._workflows[identity]
        said = (workflow.get("summary"), workflow.get("description"))
        text = next((clean(t).strip() for t in said if isinstance(t, str) and clean(t).strip()), "")
        return text[:20_000] or " ".join(words(clean(identity)))[:20_000]

    def _calls(self, identity: str, around: tuple[str, ...]) -> list[_Call]:
        """The calls of a workflow in an order that respects who needs whom."""
        if identity in around or len(around) >= MAX_NESTING:
            self.notes.add("Workflows that contain themselves or are nested too deeply", identity)
            return []
        calls: list[_Call] = []
        known: dict[str, list[_Call]] = {}
        for step in self._ordered(identity):
            inner = step.get("workflowId")
            if isinstance(inner, str):
                found = self._inner(inner, (*around, identity))
            else:
                tool = self._tool(step, identity)
                found = [_Call(tool, step, dict(known))] if tool else []
            known[str(step.get("stepId", ""))] = found
            calls += found
            if len(calls) > MAX_STEPS:
                break
        return calls

    def _inner(self, expression: str, around: tuple[str, ...]) -> list[_Call]:
        identity = expression.rpartition(".")[2] if expression.startswith("$") else expression
        if identity in self._workflows:
            return self._calls(identity, around)
        self.notes.add("Workflows of other documents are not followed", expression)
        return []

    def _ordered(self, identity: str) -> list[dict[str, Any]]:
        steps = _dicts(self._workflows[identity].get("steps"))[: MAX_STEPS + 1]
        left = {str(step.get("stepId", number)): step for number, step in enumerate(steps)}
        needs = {key: _needs(step) & left.keys() - {key} for key, step in left.items()}
        ordered: list[dict[str, Any]] = []
        while left:
            ready = next((key for key in left if not needs[key] & left.keys()), None)
            if ready is None:
                self.notes.add("Steps that wait for each other stay in written order", identity)
                ready = next(iter(left))
            ordered.append(left.pop(ready))
        if any(step.get(word) for step in ordered for word in ("onSuccess", "onFailure")):
            self.notes.add("Jumps after success or failure are not followed", identity)
        return ordered

    def _tool(self, step: dict[str, Any], identity: str) -> str:
        operation, place = step.get("operationId"), step.get("operationPath")
        if isinstance(operation, str):
            found = _SOURCE.fullmatch(operation.strip())
            label, name = (found[1], found[2]) if found else ("", operation)
            name = " ".join(clean(name).split())[:256]
            return self._known(label, lambda tool: bool(tool.name == name), name)
        method, path = place_of(place)
        if method:
            source = re.search(r"\$sourceDescriptions\.([\w-]+)", str(place))
            slug = fold(f"{method} {clean(path)}")[:256]

            def same(tool: Any) -> bool:
                call = tool.call or {}
                return (str(call.get("method", "")).lower(), call.get("path")) == (method, path)

            return self._known(source[1] if source else "", same, slug)
        self.notes.add("Steps that call no HTTP operation", f"{identity}.{step.get('stepId')}")
        return ""

    def _known(self, label: str, same: Callable[[Any], bool], name: str) -> str:
        """The id of a tool of the sources, or its bare name when they are not known."""
        for key, source in self._sources.items():
            if source is not None and label in ("", key):
                for tool in source.manifest.tools:
                    if same(tool):
                        return tool_id(source.manifest.service.name, tool.name)
        if any(self._sources.values()):
            self.notes.add("Operations that no source has", name)
        return name if fold(name) else ""


def _needs(step: dict[str, Any]) -> set[str]:
    named = step.get("dependsOn")
    listed = named if isinstance(named, list) else [named]
    depends = {d.removeprefix("$steps.") for d in listed if isinstance(d, str)}
    texts = [text for _, text in _texts("", [step.get("parameters"), step.get("requestBody")], 12)]
    return depends | {m[1] for text in texts for m in _STEP_OUTPUT.finditer(text)}


def _links(call: _Call) -> Iterator[Link]:
    """The edges into a step: values that are outputs of earlier ones."""
    body = call.step.get("requestBody")
    payload = body.get("payload") if isinstance(body, dict) else None
    places = [("", payload)]
    for parameter in _dicts(call.step.get("parameters")):
        places.append((str(parameter.get("name", "")), parameter.get("value")))
    for change in _dicts(body.get("replacements") if isinstance(body, dict) else None):
        places.append((str(change.get("target", "")).rpartition("/")[2], change.get("value")))
    for place, value in places:
        for name, text in _texts(place, value, 12):
            for found in _STEP_OUTPUT.finditer(text):
                yield from _edge(call, found[1], found[2] or "", clean(name or found[2] or ""))


def _edge(call: _Call, step: str, output: str, name: str) -> Iterator[Link]:
    for producer in call.steps.get(step, [])[-1:]:
        outputs = producer.step.get("outputs")
        expression = outputs.get(output) if isinstance(outputs, dict) else None
        if isinstance(expression, dict):  # 1.1: a selector, such as $.data[0].id
            expression = "$response.body" + str(expression.get("selector", "")).lstrip("$")
        given = answered(expression)
        if given and fold(name):
            yield Link(producer.tool, given, call.tool, name)


def _texts(name: str, value: object, depth: int) -> Iterator[tuple[str, str]]:
    """Every text in a value, with the nearest name around it."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict) and depth:
        for key, inner in value.items():
            yield from _texts(str(key), inner, depth - 1)
    elif isinstance(value, list) and depth:
        for inner in value:
            yield from _texts(name, inner, depth - 1)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []
