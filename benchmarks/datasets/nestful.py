"""NESTFUL: nested API calls, in which arguments quote what earlier calls gave."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks.datasets.files import Source
from benchmarks.datasets.records import Record
from benchmarks.datasets.rows import (
    Made,
    Row,
    collapsed,
    episode,
    given,
    left_out,
    taken,
    tool,
)
from spm.registry.errors import InputError

# The first version lay in `data` and was moved to `data_v1` when the second came.
FOLDERS = ("data_v1", "data")
PARTS = {
    "exec": "executable/executable",
    "glaive": "non-executable/non-executable-glaive",
    "sgd": "non-executable/non-executable-sgd",
}
SECOND = "data_v2/nestful_data.jsonl"
_INPUTS = ("query_parameters", "path_parameters", "parameters", "arguments")
_QUOTE = re.compile(r"\$(var_?\d+)((?:[.\[][^$]*)?)\$")
_RESULT = "var_result"  # closes every list of calls; no tool


def convert(source: Source, full: bool = False) -> Made:
    """Read the first version (300 requests); with `full` also the second (1,861)."""
    made = Made(extras={"flows": [], "derived_state": []})
    tools: dict[str, Row] = {}
    top = next((f for f in FOLDERS if source.find(f"{f}/{PARTS['exec']}-data.json")), FOLDERS[0])
    for part, file in PARTS.items():
        _document(made, tools, part, source.records(f"{top}/{file}-spec.json"))
    for part, file in PARTS.items():
        for number, record in enumerate(source.records(f"{top}/{file}-data.json")):
            _add(made, tools, part, f"{part}:{number}", record)
    if source.find(SECOND) and full:
        _second(made, tools, source)
    elif source.find(SECOND):
        made.notes.append(left_out("The second version (data_v2)"))
    made.tools = [tools[name] for name in sorted(tools)]
    return made


def _document(made: Made, tools: dict[str, Row], part: str, records: Iterable[Record]) -> None:
    for record in records:
        name = f"{part}:{record.need('name')}"
        if name in tools:
            made.merged += 1
            continue
        family = {"exec": record.said("host"), "sgd": record["name"].partition(".")[0]}
        tools[name] = tool(
            name,
            record.need("description").strip(),
            family.get(part, part),
            [
                taken(field, _text(spec, "type"), bool(spec.get("required")), _text(spec))
                for key in _INPUTS
                for field, spec in _specs(record, key)
            ],
            list(_outputs(_specs(record, "output_parameters"))),
        )


def _specs(record: Record, key: str) -> Iterator[tuple[str, Record]]:
    fields = record.inner(key) if key in record else Record()
    for field in fields:
        yield field, fields.inner(field)


def _outputs(specs: Iterable[tuple[str, Any]], above: str = "") -> Iterator[Row]:
    """Fields and, with their path, the fields in them."""
    for field, spec in specs:
        spec = spec if isinstance(spec, dict) else {}
        yield given(above + field, _text(spec, "type"), _text(spec))
        items = spec.get("items")
        for inner in (spec, items if isinstance(items, dict) else {}):
            if isinstance(inner.get("properties"), dict):
                yield from _outputs(inner["properties"].items(), f"{above}{field}.")


def _text(spec: dict[str, Any], key: str = "description") -> str:
    return str(spec.get(key) or "").strip()


def _add(made: Made, tools: dict[str, Row], part: str, id_: str, record: Record) -> None:
    calls = [call for call in record.objects("output") if call.need("name") != _RESULT]
    labels: dict[str, str] = {}
    flows, literal = [], []
    for call in calls:
        for field, value in call.need("arguments", dict).items():
            quotes = _QUOTE.findall(json.dumps(value))
            flows += [
                {
                    "episode": id_,
                    "from": labels[label],
                    "output": output.lstrip("."),
                    "to": f"{part}:{call['name']}",
                    "input": field,
                }
                for label, output in quotes
                if label in labels
            ]
            literal += [] if quotes else [field]
        labels[call.said("label").strip("$")] = (
            f"{part}:{call['name']}"  # some lists use a label twice
        )
    made.extras["derived_state"].append({"id": id_, "given": list(dict.fromkeys(literal))})
    edges = [(flow["from"], flow["to"]) for flow in flows if flow["from"] != flow["to"]]
    path = collapsed(f"{part}:{call['name']}" for call in calls)
    made.extras["flows"] += flows
    made.keep(tools, episode(id_, record.need("input"), path, edges))


def _second(made: Made, tools: dict[str, Row], source: Source) -> None:
    """Every request of the second version brings its own tools, most of them many times."""
    for record in source.lines(SECOND):
        whole = Record.of(
            {**record, "output": _value(record, "output"), "tools": _value(record, "tools")},
            record.place,
        )
        _document(made, tools, "v2", map(_renamed, whole.objects("tools")))
        _add(made, tools, "v2", f"v2:{whole.need('sample_id')}", whole)


def _renamed(record: Record) -> Record:
    """The second version says `output_parameter` or `output_parameters`."""
    outputs = record.get("output_parameters") or record.get("output_parameter") or {}
    return Record.of({**record, "output_parameters": outputs}, record.place)


def _value(record: Record, key: str) -> Any:
    """A value, which one of the published copies holds as text."""
    found = record.need(key, (list, str))
    if isinstance(found, list):
        return found
    try:
        return json.loads(found)
    except json.JSONDecodeError as error:
        raise InputError(f"{record.place}: {key!r} is not JSON ({error.msg}).") from error
