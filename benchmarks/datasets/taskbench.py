"""TaskBench: tool graphs of three domains, and requests made backwards from parts of them.

Reported on are the graphs with branches (DAG) of the multimedia domain, 565 records. They stand in
`data_multimedia/data.json`, and also in a file of their own in ProcessTBench, which adds
paraphrases in three languages.
"""

import re
from collections import Counter
from collections.abc import Iterator

from benchmarks.datasets.files import Source
from benchmarks.datasets.records import Record
from benchmarks.datasets.rows import Made, Row, episode, given, left_out, ordered, taken, tool

DOMAINS = {"hf": "huggingface", "mm": "multimedia", "daily": "dailylifeapis"}
DAGS = "taskbench_multimedia_dag.json"  # ProcessTBench
PARAPHRASES = "paraphrased_queries/rephrasing_results_flat_lang.csv"
_MENTIONS = {
    "image": re.compile(r"\.(?:jpe?g|png|gif|bmp)\b", re.I),
    "audio": re.compile(r"\.(?:wav|mp3|flac|ogg|m4a)\b", re.I),
    "video": re.compile(r"\.(?:mp4|avi|mov|mkv|webm)\b", re.I),
    "url": re.compile(r"https?://", re.I),
}


def convert(source: Source, full: bool = False) -> Made:
    """Read tools and graphs of all domains and the DAGs; with `full` every record that has gold."""
    made = Made(extras={"graph": [], "derived_state": []})
    for prefix, domain in DOMAINS.items():
        for record in _graph(source, domain, "tool_desc").objects("nodes"):
            made.tools.append(_tool(prefix, domain, record))
        made.extras["graph"] += [
            {
                "from": f"{prefix}:{link.need('source')}",
                "to": f"{prefix}:{link.need('target')}",
                "type": link.said("type"),
            }
            for link in _graph(source, domain, "graph_desc").objects("links")
        ]
    known = {row["name"] for row in made.tools}
    for prefix, record in _gold(source, full):
        _add(made, known, prefix, record)
    made.extras["requests_without_gold"] = _requests(source)
    if source.find(_file(DOMAINS["mm"], "data")) and not full:
        made.notes.append(left_out("All gold but the multimedia domain's graphs with branches"))
    if source.find(PARAPHRASES):
        made.extras["paraphrases"] = _paraphrases(made, source)
    return made


def _file(domain: str, name: str) -> str:
    return f"taskbench/data_{domain}/{name}.json"


def _graph(source: Source, domain: str, name: str) -> Record:
    return source.object(_file(domain, name))


def _gold(source: Source, full: bool) -> Iterator[tuple[str, Record]]:
    whole = _file(DOMAINS["mm"], "data")
    if full:
        for prefix, domain in DOMAINS.items():
            for record in source.lines(_file(domain, "data")):
                yield prefix, record
    elif source.find(DAGS) or not source.find(whole):  # the smaller one is enough
        for record in source.lines(DAGS):
            yield "mm", record
    else:
        for record in source.lines(whole):
            if record.get("type") == "dag":
                yield "mm", record


def _tool(prefix: str, domain: str, record: Record) -> Row:
    """A node; the source does not say which inputs are required, so all are."""
    if "parameters" in record:
        inputs = [
            taken(one.need("name"), one.said("type"), True, one.said("desc"))
            for one in record.objects("parameters")
        ]
    else:
        inputs = [taken(name, k, True, "") for name, k in _named(record.names("input-type"))]
    made = record.names("output-type") if "output-type" in record else []
    outputs = [given(name, k, "") for name, k in _named(made)]
    name = f"{prefix}:{record.need('id')}"
    return tool(name, record.need("desc"), f"taskbench-{domain}", inputs, outputs)


def _named(kinds: list[str]) -> Iterator[tuple[str, str]]:
    """Fields are named by what they hold: image, and image_2 where two are taken."""
    seen: Counter[str] = Counter()
    for kind in kinds:
        seen[kind] += 1
        yield kind if seen[kind] == 1 else f"{kind}_{seen[kind]}", kind


def _add(made: Made, known: set[str], prefix: str, record: Record) -> None:
    """Nodes are listed by name, not as they run: a path is an order in which the links allow them.

    The hub's copy of TaskBench says `tool_…` and `instruction` where the repository says `task_…`
    and `user_request`.
    """
    kind = "task" if "task_nodes" in record else "tool"
    request = record.need("user_request" if "user_request" in record else "instruction")
    nodes = [f"{prefix}:{node.need('task')}" for node in record.objects(f"{kind}_nodes")]
    links = [
        (f"{prefix}:{link.need('source')}", f"{prefix}:{link.need('target')}")
        for link in record.objects(f"{kind}_links")
    ]
    id_ = f"{prefix}:{record.need('id')}"
    edges = [(first, second) for first, second in links if {first, second} <= set(nodes)]
    path = ordered(nodes, edges)
    if path is None:
        made.dropped["the gold graph has a circle"] += 1
        return
    said = [field for field, mention in _MENTIONS.items() if mention.search(request)]
    made.extras["derived_state"].append({"id": id_, "given": said})
    made.keep(known, episode(id_, request, path, edges))


def _requests(source: Source) -> list[Row]:
    """All requests, most of them without gold here, with the shape of their graph."""
    found = []
    for prefix, domain in DOMAINS.items():
        if not source.find(_file(domain, "user_requests")):
            continue
        shapes: dict[str, str] = {}
        if source.find(_file(domain, "alignment_ids")):
            kinds = source.object(_file(domain, "alignment_ids")).inner("all_alignment_id")
            for shape in kinds:
                shapes = {**dict.fromkeys(kinds.names(shape), shape), **shapes}
        for record in source.lines(_file(domain, "user_requests")):
            found.append(
                {
                    "id": f"{prefix}:{record.need('id')}",
                    "request": record.need("user_request").strip(),
                    "domain": domain,
                    "type": shapes.get(record["id"], ""),
                }
            )
    return found


def _paraphrases(made: Made, source: Source) -> list[Row]:
    """The same requests in other words, with the gold of their episode; its split is theirs too."""
    episodes = {row["id"]: row for row in made.episodes}
    found = []
    for record in source.table(PARAPHRASES):
        id_, _, number = record.need("process_id").rpartition("_")
        if (parent := episodes.get(f"mm:{id_}")) is None:
            continue
        found.append(
            {
                **parent,
                "id": f"{parent['id']}#p{number}",
                "of": parent["id"],
                "language": record.need("language"),
                "request": record.need("rephrased_query").strip(),
                "split": "",
            }
        )
    return found
