"""Seal-Tools: four thousand machine-written APIs, requests that join them, some of them nested."""

import json
import re
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

TOP = "Seal-Tools_Dataset"
TOOLS = f"{TOP}/tool.jsonl"
FILES = ("dev", "test_in_domain", "test_out_domain")
TRAIN = "train"
_ANSWER = re.compile(r"API_call_\d+")


def convert(source: Source, full: bool = False) -> Made:
    """Read the APIs, `dev` and both tests; with `full` also `train`."""
    made = Made(extras={"flows": []})
    tools: dict[str, Row] = {}
    for record in source.lines(TOOLS):
        made.merged += record.need("api_name") in tools
        tools.setdefault(record["api_name"], _tool(record))
    made.tools = list(tools.values())
    there = source.find(f"{TOP}/{TRAIN}.jsonl") is not None
    if there and not full:
        made.notes.append(left_out(f"{TRAIN}.jsonl"))
    for file in (TRAIN, *FILES) if there and full else FILES:
        for record in source.lines(f"{TOP}/{file}.jsonl"):
            _add(made, tools, record)
    return made


def _tool(record: Record) -> Row:
    required = record.names("required")
    return tool(
        record["api_name"],
        record.need("api_description"),
        record.said("field"),
        [
            taken(name, _text(spec, "type"), name in required, _text(spec, "description"))
            for name, spec in record.need("parameters", dict).items()
        ],
        [
            given(name, _text(spec, "type"), _text(spec, "description"))
            for name, spec in record.need("responses", dict).items()
        ],
    )


def _text(spec: Any, key: str) -> str:
    return str(spec.get(key) or "") if isinstance(spec, dict) else ""


def _add(made: Made, tools: dict[str, Row], record: Record) -> None:
    calls = record.objects("calling")
    answers: dict[str, tuple[str, str]] = {}  # API_call_3 → who gave it, and the output's name
    flows = []
    for call in calls:
        name = call.need("api")
        for field, value in call.need("parameters", dict).items():
            flows += [
                {
                    "episode": record.need("id"),
                    "from": answers[answer][0],
                    "output": answers[answer][1],
                    "to": name,
                    "input": field,
                }
                for answer in _ANSWER.findall(json.dumps(value))
                if answer in answers
            ]
        outputs = [output["name"] for output in tools[name]["outputs"]] if name in tools else []
        for number, answer in enumerate(call.names("responses") if "responses" in call else []):
            answers[answer] = (name, outputs[number] if number < len(outputs) else "")
    edges = [(flow["from"], flow["to"]) for flow in flows if flow["from"] != flow["to"]]
    path = collapsed(call["api"] for call in calls)
    made.keep(tools, episode(record.need("id"), record.need("query"), path, edges))
    made.extras["flows"] += flows
