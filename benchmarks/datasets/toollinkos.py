"""ToolLinkOS: fictional tools, the documented dependencies between them, and gold sets.

The source gives sets, not paths: the order is made from `depends_on`, dependency first. Links that
go both ways (get and set of one status) say nothing about order and are left out of it.
"""

from benchmarks.datasets.files import Source
from benchmarks.datasets.records import Record
from benchmarks.datasets.rows import Edge, Made, Row, episode, ordered, taken, tool

REGULAR = "toollinkos/regular_tools.json"
CORE = "toollinkos/core_tools.json"
INSTANCES = "toollinkos/instances.json"


def convert(source: Source, full: bool = False) -> Made:
    """Read the three files of ToolLinkOS."""
    del full  # everything is reported on
    made = Made()
    documents: dict[str, Record] = {}
    for file in (REGULAR, CORE):
        for record in source.records(file):
            if record.need("name") in documents:
                made.merged += 1
            documents.setdefault(record["name"], record)
    made.tools = [_tool(record) for record in documents.values()]
    made.extras["graph"] = [link for record in documents.values() for link in _links(record)]
    links = {(link["from"], link["to"]) for link in made.extras["graph"]}
    one_way = {edge for edge in links if edge[::-1] not in links}
    for number, record in enumerate(source.records(INSTANCES)):
        _add(made, documents, one_way, number, record)
    return made


def _add(
    made: Made, documents: dict[str, Record], one_way: set[Edge], number: int, record: Record
) -> None:
    gold = list(dict.fromkeys(record.names("golden_function_names")))
    edges = [
        (needed["name"], name)
        for name in gold
        for needed in (documents[name].objects("depends_on") if name in documents else [])
        if needed["name"] in gold and (needed["name"], name) in one_way
    ]
    path = ordered(gold[::-1], edges)  # the source lists the target first and what it needs after
    if path is None:
        made.dropped["the dependencies form a circle"] += 1
        return
    made.keep(documents, episode(f"tl:{number}", record.need("user_query"), path, edges))


def _tool(record: Record) -> Row:
    return tool(
        record["name"],
        record.need("description"),
        inputs=[
            taken(
                one.need("name"),
                one.said("type"),
                bool(one.get("required")),
                one.said("description"),
            )
            for one in record.objects("parameters")
        ],
    )


def _links(record: Record) -> list[Row]:
    return [
        {
            "from": needed.need("name"),
            "to": record["name"],
            "type": needed.said("dependence_type"),
            "input": needed.said("parameter_name"),
            "reason": needed.said("reason"),
            "to_kind": record.said("func_type"),
        }
        for needed in record.objects("depends_on")
    ]
