"""ToolBench's third group (G3) as ToolPlanner publishes it: 5,000 requests with their API lists.

The tags of a request name its APIs and tools; COLT's corpus documents them, beside the library of
the other ToolBench sets. 300 evaluation rows of ToolPlanner hold traces of solutions.
"""

import ast
import json
import re
from collections.abc import Iterator

from benchmarks.datasets.files import Source
from benchmarks.datasets.records import Record
from benchmarks.datasets.rows import Made, collapsed, episode
from benchmarks.datasets.toolbench_runs import library
from benchmarks.datasets.toolbench_tools import Library
from spm.registry.errors import InputError

TAGGED = "data/category/coarse_instruction/{}_instruction_5000.json"  # ToolPlanner
TRACES = "data/category/answer/G3_plan_gen_eval_1020_G3_3tag_whole_prefixTagTraceAll.json"
CORPUS = "datasets/ToolBenchG3/corpus.jsonl"  # COLT
_DOCUMENT = re.compile(
    r"category_name:(?P<category_name>.*?), tool_name:(?P<tool_name>.*?), "
    r"api_name:(?P<api_name>.*?), api_description:(?P<api_description>.*), "
    r"required_params: (?P<required_parameters>\[.*?\]), "
    r"optional_params: (?P<optional_parameters>\[.*?\]), "
    r"return_schema: (?P<template_response>.*)",
    re.DOTALL,
)
_LISTS = ("required_parameters", "optional_parameters", "template_response")
_TRACE = re.compile(r"\nTag_Trace: (.*?)\.?\nBegin!", re.DOTALL)
_STEP = re.compile(r"Step \d+: ")
_PROMPTED = "following APIs: "


def convert(source: Source, full: bool = False) -> Made:
    """Read the requests with their lists, then the traces."""
    del full  # there is nothing more
    made, known = Made(), library(source)
    known.unwanted = None  # nothing of it is in COLT's corpus, and charts of "adult" music are
    for record in source.lines(CORPUS):
        known.document(_document(record))
    requests: dict[str, str] = {}
    tools = {id_: tags for id_, _, tags in _tagged(source, "tool")}
    for id_, request, apis in sorted(_tagged(source, "api")):
        names = [f"{api}_for_{tool}" for api, tool in zip(apis, tools.get(id_, []), strict=False)]
        path = collapsed(map(known.find, names))
        made.keep(known, episode(f"rel/{id_}", request, path))
    for id_, request, _ in _tagged(source, "api"):
        requests.setdefault(request.strip(), id_)
    _traces(made, known, requests, source)
    made.tools, made.merged = known.rows(), known.merged
    made.episodes.sort(key=lambda row: row["id"])
    return made


def _document(record: Record) -> Record:
    """An element of COLT's corpus, which is one line of text, as an API's document."""
    if not (said := _DOCUMENT.fullmatch(record.need("text"))):
        raise InputError(f"{record.place}: 'text' is not laid out as COLT's documents are.")
    found = said.groupdict()
    try:
        lists = {key: json.loads(found[key]) for key in _LISTS}
    except json.JSONDecodeError as error:
        raise InputError(f"{record.place}: a list in 'text' is not JSON ({error.msg}).") from error
    if isinstance(lists["template_response"], str):
        lists["template_response"] = None  # cut short, and not read
    return Record.of({**found, **lists}, record.place)


def _tagged(source: Source, kind: str) -> Iterator[tuple[str, str, list[str]]]:
    """Numbers, original requests and tags; those end a request: "API: a, b." or "Tool: a, b."."""
    head = {"api": "\nAPI: ", "tool": "\nTool: "}[kind]
    for record in source.lines(TAGGED.format(kind)):
        number = record.need("path").partition("_")[0]
        if not number.isdecimal():
            raise InputError(f"{record.place}: 'path' must begin with a number.")
        tags = record.need("query").rpartition(head)[2].rstrip().removesuffix(".")
        yield f"{int(number):06}", record.need("original_query"), tags.split(", ")


def _traces(made: Made, known: Library, requests: dict[str, str], source: Source) -> None:
    """Take the traces, and the tools that only their prompts describe."""
    rows = []
    for record in source.records(TRACES):
        messages = record.objects("conversations")
        asked = next((m.need("value") for m in messages if m.get("from") == "user"), "")
        request = _STEP.sub("", record.need("id"), count=1)
        id_ = requests.get(request.strip())
        if not (trace := _TRACE.search(asked)) or id_ is None:
            made.dropped["the evaluation row has no trace"] += 1
            continue
        for function in _functions(messages[0]):
            known.prompted(function)
        called = [name for name in trace[1].split(", ") if name != "Finish"]
        rows.append((f"trace/{id_}", request, called))
    for trace_id, request, called in rows:
        made.keep(known, episode(trace_id, request, collapsed(map(known.find, called))))


def _functions(system: Record) -> list[Record]:
    """The functions that a prompt lists, written as a Python literal."""
    text = system.need("value")
    listed = text[text.find(_PROMPTED) + len(_PROMPTED) :].strip()
    try:
        found = ast.literal_eval(listed)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return Record.of({"functions": found}, system.place).objects("functions")
