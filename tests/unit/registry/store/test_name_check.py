"""Names that the graph does not have are told, and names that it has never are."""

import pytest

from spm.cypher import load, names
from spm.registry.store.name_check import unknown_names
from spm.registry.store.schema import LABELS, MEANINGS, RELATIONSHIPS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("MATCH (t:Tol) RETURN t", "no label 'Tol'. Nearest: 'Tool'."),
        ("MATCH (:Tool)-[:FEED*1..4]->(b) RETURN b", "no relationship type 'FEED'."),
        (
            "MATCH (t:Tool) RETURN t.nme",
            "no property 'nme' of Tool: it is always null. Nearest: 'name'",
        ),
        ("MATCH (t:Tool {nme: 'x'}) RETURN t", "no property 'nme' of Tool"),
        ("MATCH (:Tool)-[e:FEEDS]->() WHERE e.weigth > 1 RETURN e", "'weigth' of FEEDS"),
        ("MATCH (f:Field) WHERE f.status = 'active' RETURN f", "'status' of Field"),
        ("MATCH (n) RETURN n.nothing_like_it", "no property 'nothing_like_it': it"),
        ("MATCH (a:Tool)-[e:REQUIRES|ACEPTS]->(b) RETURN a", "'ACEPTS'. Nearest: 'ACCEPTS'."),
    ],
)
def test_what_the_graph_does_not_have_is_told(text, said):
    (line,) = unknown_names(text)
    assert said in line


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (t:Tool) WITH {nme: t.name} AS m RETURN m.nme",
        "MATCH (t:Tool) WITH t.name AS t RETURN t.anything",
        "MATCH (t:Tool) RETURN '(x:Tol).nme', t.`nme` // (y:Tol)",
        "MATCH (t:Tool) RETURN [s IN t.scopes | s.nothing], date.truncate('day', t.updated)",
        "MATCH (n:Tool|Field) RETURN n.type, n.effects",
        "MATCH p = (a)-[*1..3]->(b) RETURN length(p), a.name",
    ],
)
def test_what_is_not_understood_is_not_told(text):
    assert unknown_names(text) == []


def test_no_query_of_spm_is_told_of():
    """Labels of what waits for the end of an import are no part of the graph."""
    known = [name for name in names() if not name.startswith(("schema/", "staging/"))]
    found = {name: unknown_names(load(name).text) for name in known}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_every_label_and_type_has_a_meaning():
    assert set(MEANINGS) == {*LABELS, *RELATIONSHIPS}
