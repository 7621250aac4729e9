"""ToolBench's test instructions and observed runs, as far as public repositories hold them.

The release itself is not on GitHub; five repositories hold parts of it: ToolBench, StableToolBench,
Toolbench-qaq, AnyTool and EvoTool. They share one library.
"""

import re
from collections.abc import Iterator
from typing import Any

from benchmarks.datasets.files import Source
from benchmarks.datasets.records import Record
from benchmarks.datasets.rows import Made, collapsed, episode
from benchmarks.datasets.toolbench_tools import ADULT, Library, function_name
from spm.registry.errors import InputError

SOLVABLE = "solvable_queries/test_instruction/*.json"  # StableToolBench
TESTS = "toolbench_query_dataset/G*.json"  # Toolbench-qaq
CHAINS = "toolbench/tooleval/results/default_evalset/gpt-3.5-turbo_CoT/*.json"  # ToolBench
EXAMPLES = "data_example/answer/G*_answer/*.json"  # ToolBench
SAMPLES = "data/toolbench/samples.json"  # EvoTool
RESPONSES = "data/toolbench/recorded_outputs.json"  # EvoTool
ANYTOOL = "atb_data/anytoolbench.json"  # AnyTool
_CALL = re.compile(r"\{'name': '([^']*)'")


def library(source: Source) -> Library:
    """The tools: documents of the test instructions first, then what only prompts show."""
    found = Library(ADULT)
    for pattern in (SOLVABLE, TESTS):
        for file in source.needed(pattern):
            for query in source.records(file):
                for api in query.objects("api_list"):
                    found.document(api)
    for sample in source.records(SAMPLES):
        for function in sample.objects("available_tools"):
            found.prompted(function)
    for file in source.needed(EXAMPLES):
        for function in source.object(file).inner("answer_generation").objects("function"):
            found.prompted(function)
    for _, run in _runs(source):
        for function in run.objects("available_tools"):
            found.prompted(function)
    found.observe(_responses(source))
    return found


def _responses(source: Source) -> Iterator[tuple[str, Any]]:
    recorded = source.object(RESPONSES)
    for sample in recorded:
        for call in recorded.objects(sample):
            yield call.need("tool"), call.get("output")


def convert_instructions(source: Source, full: bool = False) -> Made:
    """Test instructions with the APIs their writers listed, in that order, and AnyToolBench."""
    del full  # there is nothing more
    made, known = Made(), library(source)
    solvable = set()
    for file in source.needed(SOLVABLE):
        for query in source.records(file):
            solvable.add(_test(file, query))
            made.keep(known, _listed(known, f"{_test(file, query)}/solvable", query))
    for file in source.needed(TESTS):
        for query in source.records(file):
            if _test(file, query) not in solvable:
                made.keep(known, _listed(known, f"{_test(file, query)}/all", query))
    for query in source.records(ANYTOOL):
        apis = [
            (one.need("tool_name"), one.need("api_name")) for one in query.objects("gt_api_list")
        ]
        path = collapsed(known.find(function_name(*pair)) for pair in apis)
        made.keep(known, episode(f"anytoolbench/{query['query_id']}", query.need("query"), path))
    return _with_tools(made, known)


def _test(file: str, query: Record) -> str:
    group = file.rpartition("/")[2].removesuffix(".json")
    return f"rel/{group}/{query.need('query_id', (int, str))}"


def _listed(known: Library, id_: str, query: Record) -> Any:
    path = [known.find(function_name(*pair)) for pair in relevant(query)]
    return episode(id_, query.need("query"), collapsed(path))


def relevant(query: Record) -> list[tuple[str, str]]:
    """The tools and APIs that an instruction was written for."""
    found = []
    for at, pair in enumerate(query.need("relevant APIs", list)):
        place = f"{query.place}, 'relevant APIs'[{at}]"
        names = Record.of({"pair": pair}, place).names("pair")
        if len(names) < 2:
            raise InputError(f"{place}: a tool and an API are expected.")
        found.append((names[0], names[1]))
    return found


def convert_runs(source: Source, full: bool = False) -> Made:
    """Calls of runs that ended with an answer, in the order they were made."""
    del full  # there is nothing more
    made, known = Made(), library(source)
    for id_, run in _runs(source):
        answer = run.inner("answer")
        if "give_answer" not in answer.said("final_answer"):
            made.dropped["the run gave no answer"] += 1
            continue
        offered = {one.need("name") for one in run.objects("available_tools")} - {"Finish"}
        called = [name for name in _chain(answer.objects("answer_details")) if name in offered]
        path = collapsed(map(known.find, called))
        made.keep(known, episode(f"cot/{id_}", _unquoted(run.need("query")), path))
    for sample in source.records(SAMPLES):
        path = collapsed(known.find(call.need("tool")) for call in sample.objects("gold_plan"))
        made.keep(known, episode(f"dfs/{sample.need('id')}", sample.need("query"), path))
    for file in source.needed(EXAMPLES):
        group, name = file.split("/")[-2:]
        solution = source.object(file).inner("answer_generation")
        id_ = f"example/{group.partition('_')[0]}/{name.partition('_')[0]}"
        if (solved := calls(solution)) is None:
            made.dropped["the run was not valid"] += 1
            continue
        path = collapsed(map(known.find, solved))
        made.keep(known, episode(id_, solution.need("query"), path))
    return _with_tools(made, known)


def _with_tools(made: Made, known: Library) -> Made:
    made.tools, made.merged = known.rows(), known.merged
    made.episodes.sort(key=lambda row: row["id"])
    return made


def _runs(source: Source) -> Iterator[tuple[str, Record]]:
    for file in source.needed(CHAINS):
        runs = source.object(file)
        for id_ in runs:
            yield f"{file.rpartition('/')[2].removesuffix('.json')}/{id_}", runs.inner(id_)


def _chain(nodes: list[Record]) -> Iterator[str]:
    """The functions called, in the order of a tree that is a chain."""
    for node in nodes:
        call = _CALL.match(node.said("message")) if node.get("role") == "tool" else None
        if call:
            yield call[1]
        yield from _chain(node.some("next"))


def calls(solution: Record) -> list[str] | None:
    """The functions that a solution (DFSDT) calls before it finishes; None when it has none."""
    if not solution.get("train_messages"):
        return None
    place = f"{solution.place}, train_messages"
    last = Record.of({"messages": solution.need("train_messages", list)[-1]}, place)
    made = [
        message.inner("function_call").need("name")
        for message in last.objects("messages")
        if message.get("role") == "assistant" and message.get("function_call")
    ]
    return [name for name in made if name != "Finish"]


def _unquoted(query: str) -> str:
    query = query.strip()
    return query[1:-1] if len(query) > 1 and query[0] == query[-1] == '"' else query
