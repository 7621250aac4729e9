"""ToolBench as it was released (`data/`), and StableToolBench's solvable queries, or both.

Instructions come with the APIs they were written for, in the order of the list; solution paths
(`data/answer`) with the calls that were made. The release has sixteen thousand APIs and over a
hundred thousand files of answers.
"""

from collections.abc import Iterator

from benchmarks.datasets.files import Source
from benchmarks.datasets.records import Record
from benchmarks.datasets.rows import Made, Row, collapsed, episode
from benchmarks.datasets.split import by_request
from benchmarks.datasets.toolbench_runs import SOLVABLE, calls, relevant
from benchmarks.datasets.toolbench_tools import Library, function_name

TOOLS = "data/toolenv/tools/*/*.json"
QUERIES = "data/instruction/G*_query.json"
TESTS = "data/test_instruction/*.json"
ANSWERS = "data/answer/G*_answer/*.json"


def convert(source: Source, full: bool = False) -> Made:
    """Read whatever there is of tools, instructions and answers; instructions must be there."""
    del full  # everything is read
    made, known = Made(), Library()
    for file in source.names(TOOLS):
        described = source.object(file, together=TOOLS)
        for api in described.objects("api_list"):
            known.document(api, file.split("/")[-2], described.need("tool_name"))
    if not any(map(source.names, (SOLVABLE, TESTS, QUERIES))):
        source.needed(QUERIES)
    # Every file is read once: names are looked up when all tools are known.
    rows = [*_listed(known, source), *_called(made, known, source)]
    for row in sorted(rows, key=lambda row: str(row["id"])):
        path = collapsed(map(known.find, row["path"]))
        made.keep(known, {**row, "path": path})
    made.tools, made.merged = known.rows(), known.merged
    return made


def _listed(known: Library, source: Source) -> Iterator[Row]:
    asked: set[str] = set()
    for id_, query in _instructions(source):
        for api in query.some("api_list"):
            known.document(api)
        row = episode(id_, query.need("query"), [function_name(*p) for p in relevant(query)])
        if by_request(row) not in asked:  # tests are drawn from the instructions
            asked.add(by_request(row))
            yield row


def _called(made: Made, known: Library, source: Source) -> Iterator[Row]:
    for file in source.names(ANSWERS):
        group, name = file.split("/")[-2:]
        solution = source.object(file, together=ANSWERS).inner("answer_generation")
        for function in solution.some("function"):
            known.prompted(function)
        called = calls(solution)
        if called is None or solution.get("finish_type") != "give_answer":
            made.dropped["the run gave no answer"] += 1
            continue
        id_ = f"dfs/{group.removesuffix('_answer')}/{name.partition('_')[0]}"
        yield episode(id_, solution.need("query"), called)


def _instructions(source: Source) -> Iterator[tuple[str, Record]]:
    """All instructions, those of the tests first."""
    for pattern, end in ((SOLVABLE, "/solvable"), (TESTS, "/all"), (QUERIES, "")):
        for file in source.names(pattern):
            group = file.rpartition("/")[2].removesuffix(".json").removesuffix("_query")
            for query in source.records(file):
                yield f"rel/{group}/{query.need('query_id', (int, str))}{end}", query
