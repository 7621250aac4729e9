"""Query files: every broken header is refused with its place, and all shipped files are sound."""

import re
from pathlib import Path

import pytest

from spm.cypher import Query, QueryFileError, load, names
from spm.cypher.loader import Fragment, parse, split
from spm.registry.store.schema import LABELS, RELATIONSHIPS

ROOT = Path(__file__).parents[3]
TOPIC = "// Tools.\n\n"
GOOD = """\
// name: of
// Tools of a service.
// params: service
// access: read
// returns: id
MATCH (t:Tool {service: $service})
RETURN t.id AS id;
"""


def read(source: str, fragments: tuple[Fragment, ...] = ()) -> Query:
    """The statement `of` of a topic with this source."""
    return parse("tools", split("tools", source)["of"], fragments)


def test_a_sound_statement_is_understood():
    query = read(TOPIC + GOOD)
    assert query.name == "tools/of"
    assert query.doc == "Tools of a service."
    assert query.params == ("service",)
    assert query.access == "read"
    assert query.returns == ("id",)
    assert query.engines == ("neo4j", "embedded")
    assert query.text == "MATCH (t:Tool {service: $service})\nRETURN t.id AS id"


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("", 1, "a sentence about its topic"),
        (GOOD, 1, "a sentence about its topic"),
        ("// Tools.\nMATCH (n) RETURN n;\n", 2, "a statement without a name"),
        (TOPIC + GOOD + "\n" + GOOD, 11, "'of' stands twice"),
        (TOPIC + GOOD.replace("// name: of", "// name: of(t)"), 3, "a fragment has a variable"),
        (TOPIC + GOOD.replace("// name: of", "// fragment: of"), 3, "a fragment has a variable"),
        (TOPIC + GOOD.replace("// Tools of a service.\n", ""), 7, "header needs a sentence"),
        (TOPIC + GOOD.replace("// params: service\n", ""), 7, "params, access and returns"),
        (TOPIC + GOOD.replace("// access: read\n", ""), 7, "params, access and returns"),
        (TOPIC + GOOD.replace("// returns: id\n", ""), 7, "params, access and returns"),
        (TOPIC + GOOD[: GOOD.index("MATCH")], 8, "empty statement"),
        (TOPIC + GOOD[: GOOD.index("MATCH")] + "/* nothing */;\n", 8, "empty statement"),
        (TOPIC + GOOD.replace(";", ""), 8, "ends with a semicolon"),
        (TOPIC + GOOD + "RETURN 1;\n", 8, "one statement under each name"),
        (TOPIC + GOOD.replace("read", "look"), 8, r"access must be one of .*'look'"),
        (TOPIC + GOOD.replace("access: read", "access:"), 8, "access must be one of"),
        (TOPIC + GOOD.replace("returns: id", "returns: id\n// engines: sqlite"), 9, "sqlite"),
        (TOPIC + GOOD.replace("params: service", "params:"), 8, r"not declared: \['service'\]"),
        (TOPIC + GOOD.replace("params: service", "params: service, x"), 8, r"not used: \['x'\]"),
        (TOPIC + GOOD.replace("// returns", "// more text\n// returns"), 7, "text after the keys"),
        (TOPIC + GOOD.replace("// returns", "// access: read\n// returns"), 7, "stands twice"),
        (TOPIC + GOOD.replace("RETURN t.id AS id", "DELETE t"), 8, "the statement writes"),
        (TOPIC + GOOD.replace("RETURN t.id AS id", "SET t.x = 1"), 8, "the statement writes"),
    ],
)
def test_a_broken_file_is_refused_with_file_and_line(source, line, message):
    with pytest.raises(QueryFileError, match=message) as caught:
        read(source)
    assert str(caught.value).startswith(f"tools.cypher:{line}: ")


@pytest.mark.parametrize(
    "statement",
    [
        "RETURN '$x; DELETE'",
        'RETURN "$x;"',
        "RETURN 1 AS `$x;`",
        "RETURN 1 /* $x; SET */",
        "/* ; */ RETURN 1",
    ],
)
def test_what_stands_in_quotes_and_comments_is_not_looked_at(statement):
    source = (
        f"{TOPIC}// name: of\n// One.\n// params:\n// access: read\n// returns:\n{statement};\n"
    )
    found = read(source)
    assert found.text == statement
    assert found.params == ()


def test_a_fragment_stands_where_a_statement_uses_it():
    fragment = Fragment("mine", "tool", "tool.owner = $team OR tool.tooling")
    source = GOOD.replace("{service: $service}", "").replace("RETURN", "WHERE mine(t)\nRETURN")
    query = read(TOPIC + source.replace("params: service", "params: team"), (fragment,))
    assert query.text == "MATCH (t:Tool )\nWHERE (t.owner = $team OR t.tooling)\nRETURN t.id AS id"
    with pytest.raises(QueryFileError, match=r"not declared: \['team'\]"):
        read(TOPIC + source.replace("params: service", "params:"), (fragment,))


def test_who_sees_a_tool_is_written_down_once():
    topics = sorted((ROOT / "cypher").glob("*.cypher"))
    text = "".join(topic.read_text(encoding="utf-8") for topic in topics)
    assert text.count(".visibility = 'public'") == 1
    assert text.count("visible(") > 15
    filtered = [load(name) for name in names() if "team" in load(name).params]
    for query in filtered:
        if query.access == "read" and {"scopes", "read_only"} <= set(query.params):
            assert ".visibility = 'public'" in query.text, query.name
            assert "visible(" not in query.text, query.name


@pytest.mark.parametrize("name", ["tools/nothing", "nothing/list", "list", "", "../registry/shop"])
def test_a_statement_that_is_not_there_is_named(name):
    with pytest.raises(QueryFileError, match=f"no statement {name!r}"):
        load(name)


def test_a_name_never_leads_out_of_its_topic():
    with pytest.raises(QueryFileError, match="no statement"):
        load("saved/../tools/remove")


def test_a_fragment_is_no_statement():
    with pytest.raises(QueryFileError, match="no statement"):
        load("access/visible")


def test_parameters_must_be_exactly_the_declared_ones():
    query = read(TOPIC + GOOD)
    assert query.bind({"service": "mail"}) == {"service": "mail"}
    with pytest.raises(ValueError, match=r"expected \['service'\] \(got \[\]\)"):
        query.bind({})
    with pytest.raises(ValueError, match="more"):
        query.bind({"service": "mail", "more": 1})


def test_every_shipped_topic_is_listed():
    topics = {topic.stem for topic in (ROOT / "cypher").glob("*.cypher")}
    assert {name.partition("/")[0] for name in names()} == topics
    assert len(names()) > 60


def test_schema_statements_are_numbered_without_gaps():
    numbers = [int(name.removeprefix("schema/")[:3]) for name in names("schema")]
    assert numbers == list(range(1, len(numbers) + 1))


def columns(text: str) -> tuple[str, ...]:
    """What the last RETURN of a statement calls its columns."""
    last = re.split(r"\bRETURN\b(?:\s+DISTINCT\b)?", text)[-1]
    last = re.split(r"\bORDER BY\b|\bLIMIT\b", last)[0]
    depth, parts = 0, [""]
    for c in last:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    return tuple(re.split(r"\bAS\b", part)[-1].strip() for part in parts)


def test_every_shipped_statement_loads_and_returns_what_its_header_says():
    for query in map(load, names()):
        if query.returns:
            assert columns(query.text) == query.returns, query.name
        else:
            assert not re.search(r"\bRETURN\b", query.text), query.name


def test_rows_come_in_an_order_of_their_own():
    for query in map(load, names()):
        one_row = re.search(r"RETURN (?:count|COUNT)", query.text) or re.search(
            r"\{(?:id|tool_id|name): (?:\$\w+|'registry')[,}][^-]*\n", query.text
        )
        assert one_row or not query.returns or "ORDER BY" in query.text, query.name


# -- the dictionary of the graph -------------------------------------------------------------

NODE = re.compile(r"\((\w*)\s*:\s*([\w|]+)\s*(?:\{([^}]*)\})?\s*\)")
EDGE = re.compile(r"\[(\w*)\s*:\s*([\w|]+)\s*(?:\*[\d.]*)?\s*(?:\{([^}]*)\})?\s*\]")
QUOTED = re.compile(r"'[^']*'|`[^`]*`|\{indexConfig.*\}", re.S)
ENGINE = {"node"}  # variables that a procedure binds
# What migrations read of an earlier schema, which is not in the dictionary any more.
FORMER = {
    "schema/022_optional_inputs": {"required"},
    "schema/023_required_inputs": {"required"},
    "schema/026_search_parts": {"document"},
}


def used(text: str) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Labels and relationship types of a query with the properties used on them."""
    text = QUOTED.sub("''", text)
    labels: dict[str, set[str]] = {}
    types: dict[str, set[str]] = {}
    owner: dict[str, list[set[str]]] = {}
    for pattern, found in ((NODE, labels), (EDGE, types)):
        for variable, kinds, inline in pattern.findall(text):
            # (n:A|B) has the properties of either.
            for kind in [kinds] if pattern is NODE else kinds.split("|"):
                properties = found.setdefault(kind, set())
                properties.update(re.findall(r"(\w+)\s*:", inline))
                owner.setdefault(variable, []).append(properties)
    for variable, name in re.findall(r"\b([a-z]\w*)\.(\w+)", text):
        for properties in owner.get(variable, []):
            properties.add(name)
    return labels, types


@pytest.mark.parametrize("topic", sorted({name.partition("/")[0] for name in names()}))
def test_queries_use_only_what_the_dictionary_knows(topic):
    for name in names(topic):
        known_to_the_dictionary(name)


def known_to_the_dictionary(name: str) -> None:
    # Nodes that wait have the properties that they will show.
    labels, types = used(re.sub(r"\bIncoming(?=[A-Z])", "", load(name).text))
    assert {label for either in labels for label in either.split("|")} <= set(LABELS)
    assert set(types) <= set(RELATIONSHIPS)
    former = FORMER.get(name, set())
    for label, properties in labels.items():
        known = {p for one in label.split("|") for p in LABELS[one]}
        assert properties - former <= known, label
    types = {kind: found - former for kind, found in types.items()}
    shared = len(types) > 1  # [e:A|B]: a property of one of them
    known = {p for kind in types for p in RELATIONSHIPS[kind][2]}
    for kind, properties in types.items():
        assert properties <= (known if shared else set(RELATIONSHIPS[kind][2])), kind


@pytest.mark.parametrize("topic", sorted({name.partition("/")[0] for name in names()}))
def test_relationships_run_in_the_direction_of_the_dictionary(topic):
    for name in names(topic):
        directed_as_in_the_dictionary(name)


def directed_as_in_the_dictionary(name: str) -> None:
    text = QUOTED.sub("''", load(name).text)
    where = {v: label for v, label, _ in NODE.findall(text) if v}
    hop = re.compile(
        r"\((\w*)(?::(\w+))?[^()]*\)(<?)-\[\w*:(\w+)[^\]]*\]-(>?)\((\w*)(?::(\w+))?[^()]*\)"
    )
    for first, first_label, left, kind, right, second, second_label in hop.findall(text):
        start = first_label or where.get(first)
        end = second_label or where.get(second)
        if left:
            start, end = end, start
        if left or right:
            expected = RELATIONSHIPS[kind][:2]
            assert expected[0] in (start or expected[0]).split("|"), kind
            assert expected[1] in (end or expected[1]).split("|"), kind


def test_everything_in_the_dictionary_is_written_by_some_query():
    written: dict[str, set[str]] = {}
    types: set[str] = set()
    for name in names():
        query = load(name)
        labels, kinds = used(query.text)
        types |= set(kinds)
        if query.access == "write":
            for label, properties in labels.items():
                written.setdefault(label, set()).update(properties)
    by_procedure = {"vector"}
    for label in LABELS:
        assert set(LABELS[label]) - by_procedure <= written[label], label
    assert types == set(RELATIONSHIPS)


def test_the_folders_readme_knows_every_label_and_type():
    readme = (ROOT / "cypher" / "README.md").read_text(encoding="utf-8")
    for word in (*LABELS, *RELATIONSHIPS):
        assert re.search(rf"\b{word}\b", readme), word
