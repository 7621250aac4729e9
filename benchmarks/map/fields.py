"""Which values of a request become which parameters, against labels; the service is known."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.map import specs
from spm.registry.catalog.graph_rows import field_name
from spm.registry.importers.source import Source
from spm.registry.models import ToolSpec, tool_id
from spm.registry.request.tool_inputs import inputs_of
from spm.registry.request.values import Input, Match, matches, read_values

Pair = tuple[str, str, str]  # operation, parameter, value


@dataclass
class Score:
    """How many pairs of parameter and value are right.

    Attributes:
        right: predicted and labelled.
        predicted: all that were predicted.
        labelled: all that labels have.
        unread: labels whose operation is not in the specification.
        errors: for each request what is wrong and what is missing.
    """

    right: int = 0
    predicted: int = 0
    labelled: int = 0
    unread: int = 0
    errors: list[dict[str, Any]] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """The share of what was predicted that is right."""
        return self.right / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of the labels that was predicted."""
        return self.right / self.labelled if self.labelled else 0.0


def score(folder: Path, part: str, scratch: Path) -> dict[str, Score]:
    """Score the labels of a part, for each API and for all."""
    rows = specs.labels("fields", part)
    found: dict[str, Score] = {"all": Score()}
    for api in specs.apis(rows):
        path = specs.document(folder, api, scratch)
        if path is None:
            continue
        tools = Tools(specs.read(path, api), api)
        found[api] = Score()
        for row in rows:
            if row["api"] == api:
                for one in (found[api], found["all"]):
                    _add(one, row, tools)
    return found


class Tools:
    """The tools of one specification, with the inputs that values are given to."""

    def __init__(self, source: Source, api: str) -> None:
        self.by_operation = specs.tools_by_operation(source, api)
        self.specs = {tool_id(api, tool.name): tool for tool in source.manifest.tools}
        self.readings = source.readings or {}

    def inputs(self, operation: str) -> list[Input] | None:
        """The inputs of an operation; None when there is none."""
        identity = specs.find(self.by_operation, operation)
        if identity is None:
            return None
        tool: ToolSpec = self.specs[identity]
        reading = self.readings.get(tool.name)
        takes = reading.takes if reading else {}
        taken = {
            field_name(spec, tool): (takes[spec.name].resource, takes[spec.name].role)
            for spec in tool.inputs
            if spec.name in takes
        }
        acts = reading.resource if reading else ""
        return inputs_of(tool.definition(), taken, acts, operation)


def predict(request: str, operations: Sequence[str], tools: Tools) -> list[Match]:
    """What a request gives to the inputs of operations."""
    inputs = [one for name in operations for one in tools.inputs(name) or ()]
    return matches(read_values(request), inputs)


def _add(score: Score, row: dict[str, Any], tools: Tools) -> None:
    known = [name for name in row["ops"] if tools.inputs(name) is not None]
    labels = [f for f in row["fields"] if f["op"] in known]
    score.unread += len(row["ops"]) - len(known)
    wanted = [(f["op"], f["param"], f["value"]) for f in labels]
    given = [(m.input.tool, m) for m in predict(row["request"], known, tools)]
    missing, wrong = list(wanted), []
    for operation, match in given:
        hit = next((pair for pair in missing if _is_hit(operation, match, pair)), None)
        if hit:
            missing.remove(hit)
        else:
            wrong.append(f"{match.input.path} = {match.value.text} ({match.score:.2f})")
    score.right += len(wanted) - len(missing)
    score.predicted += len(given)
    score.labelled += len(wanted)
    if wrong or missing:
        lost = [f"{name} = {value}" for _, name, value in missing]
        error = {"id": row["id"], "request": row["request"], "wrong": wrong, "missing": lost}
        score.errors.append(error)


def _is_hit(operation: str, match: Match, label: Pair) -> bool:
    named, parameter, value = label
    return operation == named and is_given(match, parameter, value)


def is_given(match: Match, parameter: str, value: object) -> bool:
    """Whether a match is what a label says, by the names of the parameter and by the value."""
    names = {match.input.name, match.input.path, match.input.path.rpartition(".")[2]}
    right = parameter in names or parameter.rpartition(".")[2] in names
    return right and _plain(match.value.text) == _plain(value)


def _plain(value: object) -> str:
    return str(value).strip().lstrip("#@").strip("\"'").lower()
