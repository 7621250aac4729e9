"""Schema files that move data: what an earlier spm wrote becomes what this one reads."""

from typing import Any

import kglite

from spm.cypher import load
from spm.registry.store import migrations

EARLIER_INPUTS = """
CREATE (t:Tool {id: 's/t'}), (a:Field {name: 'a'}), (b:Field {name: 'b'}),
       (t)-[:REQUIRES {required: true, resource: 'r'}]->(a),
       (t)-[:REQUIRES {required: false, resource: 'r', role: 'x'}]->(b)
"""
INPUTS = """
MATCH (:Tool)-[e:REQUIRES|ACCEPTS]->(f:Field)
RETURN type(e) AS type, f.name AS field, [e.required, e.resource, e.role] AS carries
ORDER BY type
"""


class Runner:
    """Runs query files on a graph without a store around it."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph

    def run(self, name: str, /, **params: object) -> list[dict[str, Any]]:
        return list(self._graph.cypher(load(name).text, params=params))


def test_optional_inputs_become_edges_of_their_own() -> None:
    graph = kglite.KnowledgeGraph()
    graph.cypher(EARLIER_INPUTS)
    waiting = [(n, query) for n, query in migrations.known("embedded") if n > 21]
    for _ in range(2):  # a second time changes nothing
        migrations.apply(Runner(graph), waiting)
        assert list(graph.cypher(INPUTS)) == [
            {"type": "ACCEPTS", "field": "b", "carries": [None, "r", "x"]},
            {"type": "REQUIRES", "field": "a", "carries": [None, "r", None]},
        ]


def test_one_text_becomes_a_single_part_and_reads_as_it_did() -> None:
    graph = kglite.KnowledgeGraph()
    graph.cypher("CREATE (:Tool {id: 's/t', document: 'Send a mail. to address'})")
    waiting = [(n, query) for n, query in migrations.known("embedded") if n > 25]
    said = "Send a mail. to address"
    text = [{"id": "s/t", "text": said, "head": said}]
    assert Runner(graph).run("vectors/tool_texts") == text  # as who reads meets it before a write
    for _ in range(2):  # a second time changes nothing
        migrations.apply(Runner(graph), waiting)
        assert Runner(graph).run("vectors/tool_texts") == text
        assert list(graph.cypher("MATCH (t:Tool) RETURN t.search_parts AS p, t.document AS d")) == [
            {"p": ["Send a mail. to address"], "d": None}
        ]
