"""ToolHop: questions in several hops, each hop with a tool of its own.

ToolHop writes its own document of a tool for every question; documents of one name are merged. The
functions are read for what they return, and never run.
"""

import ast
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.datasets.files import Source
from benchmarks.datasets.records import Record
from benchmarks.datasets.rows import (
    Edge,
    Made,
    Row,
    collapsed,
    episode,
    given,
    left_out,
    taken,
    tool,
)

WHOLE = "data/ToolHop.json"
ROWS = "suite/v1/toolhop.jsonl"  # a hundred of them, with sorted keys, in local-bench
# What the figures are reported on: the questions that could be had here, by their number.
REPORTED = frozenset(
    int(number)
    for number in """
    1 10 13 17 18 19 20 23 31 32 50 57 61 72 77 91 102 104 105 113 116 117 124 127 130 149
    175 184 186 189 190 202 204 246 269 363 365 372 393 413 418 423 424 436 440 457 480 490
    492 507 508 515 516 519 520 525 528 555 581 585 593 601 602 645 656 664 692 694 701 712
    714 731 747 762 773 793 801 805 828 850 851 853 861 867 879 881 883 884 889 891 892 911
    921 928 942 943 948 952 972 982
    """.split()
)


def convert(source: Source, full: bool = False) -> Made:
    """Read the questions that figures are reported on; with `full` all there are."""
    made = Made()
    documents: dict[str, list[Record]] = defaultdict(list)
    outputs: dict[str, list[str]] = defaultdict(list)
    rows = []
    questions = _questions(source)
    wanted = [pair for pair in questions if full or pair[0] in REPORTED]
    if len(wanted) < len(questions):
        made.notes.append(left_out(f"{len(questions) - len(wanted)} of {len(questions)} questions"))
    for number, record in wanted:
        hops = _hops(record)
        for hop in hops:
            documents[hop.name].append(hop.document)
            outputs[hop.name] += hop.returns
        rows.append(_episode(number, record, hops))
    made.merged = sum(map(len, documents.values())) - len(documents)
    made.tools = [_merged(documents[name], outputs[name]) for name in sorted(documents)]
    for row in rows:
        made.keep(documents, row)
    return made


def _questions(source: Source) -> list[tuple[int, Record]]:
    """The questions with their numbers in the whole file, in that order."""
    if source.find(WHOLE) or not source.find(ROWS):
        found = [(record.need("id", int), record) for record in source.records(WHOLE)]
    else:
        found = [(record.need("source_id", int), record) for record in source.lines(ROWS)]
    return sorted(found, key=lambda pair: pair[0])


@dataclass(frozen=True)
class Hop:
    """A step to the answer.

    Attributes:
        question: what this step answers.
        document: the tool that answers it.
        returns: the keys of the dictionaries that its function returns.
    """

    question: str
    document: Record
    returns: list[str]

    @property
    def name(self) -> str:
        """The tool's name."""
        return str(self.document["name"])


def _hops(record: Record) -> list[Hop]:
    """The hops in the order of the functions.

    The tools' keys were sorted by whoever published them again. Where a question uses a name twice,
    a function belongs to the document that names the same arguments.
    """
    waiting = [
        (question, Record.of(document, f"{record.place}, tools[{question[:40]!r}]"))
        for question, document in record.need("tools", dict).items()
    ]
    names = {document.need("name") for _, document in waiting}
    found = []
    for text in record.names("functions"):
        function = _function(text, names)
        fitting = [pair for pair in waiting if pair[1]["name"] == function.name]
        if not fitting:
            continue
        best = max(fitting, key=lambda pair: function.likeness(_properties(pair[1])))
        waiting.remove(best)
        found.append(Hop(*best, function.returns))
    return found


def _properties(document: Record) -> Record:
    parameters = document.inner("parameters")
    return parameters.inner("properties") if parameters.get("properties") else Record()


def _episode(number: int, record: Record, hops: list[Hop]) -> Row:
    answers = record.need("sub_task", dict)
    edges: list[Edge] = []
    for at, hop in enumerate(hops):
        answer = str(answers.get(hop.question, "")).strip().lower()
        edges += [
            (hop.name, later.name)
            for later in hops[at + 1 :]
            # a digit or letter stands in many questions by chance
            if len(answer) > 2 and answer in later.question.lower() and hop.name != later.name
        ]
    path = collapsed(hop.name for hop in hops)
    return episode(f"toolhop/{number:04}", record.need("question"), path, edges)


def _merged(documents: list[Record], outputs: list[str]) -> Row:
    """One tool of several documents: all arguments, required when half of the documents say so."""
    said: dict[str, Record] = {}
    votes: Counter[str] = Counter()
    for document in documents:
        properties = _properties(document)
        for name in sorted(properties):
            said.setdefault(name, properties.inner(name))
        if document["parameters"].get("required"):
            votes.update(document.inner("parameters").names("required"))
    first = documents[0]
    return tool(
        first["name"],
        first.need("description"),
        inputs=[
            taken(
                name,
                str(spec.get("type") or ""),
                2 * votes[name] >= len(documents),
                spec.said("description"),
            )
            for name, spec in said.items()
        ],
        outputs=[given(k, "", "key of a returned dictionary") for k in dict.fromkeys(outputs)],
    )


@dataclass(frozen=True)
class Function:
    """What can be seen of a function without running it."""

    name: str
    arguments: frozenset[str]
    returns: list[str]

    def likeness(self, properties: dict[str, Any]) -> float:
        """How much of the arguments, here and there together, are the same."""
        both = self.arguments | set(properties)
        return len(self.arguments & set(properties)) / len(both) if both else 1.0


def _function(text: str, names: set[str]) -> Function:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # of their escapes, not ours
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Function(text.partition("(")[0].split(" ")[-1], frozenset(), [])
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found = next((node for node in functions if node.name in names), None)
    if found is None:
        return Function("", frozenset(), [])
    arguments = (found.args.posonlyargs, found.args.args, found.args.kwonlyargs)
    named = frozenset(argument.arg for group in arguments for argument in group)
    return Function(found.name, named, list(_returned(found)))


def _returned(function: ast.FunctionDef) -> Iterator[str]:
    """Keys of dictionaries that are returned at once, or under the name they were given."""
    nodes = list(ast.walk(function))
    values = [node.value for node in nodes if isinstance(node, ast.Return)]
    names = {value.id for value in values if isinstance(value, ast.Name)}
    for node in nodes:
        if isinstance(node, ast.Assign):
            targets = (one.id for one in node.targets if isinstance(one, ast.Name))
            value = node.value if names.intersection(targets) else None
        else:
            value = node.value if isinstance(node, ast.Return) else None
        for key in value.keys if isinstance(value, ast.Dict) else ():
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                if key.value != "error":
                    yield key.value
