"""Query files: every broken header is refused with its place, and all shipped files are sound."""

import re
from pathlib import Path

import pytest

from spm.cypher import QueryFileError, load, names, parse
from spm.registry.graph import LABELS, RELATIONSHIPS

ROOT = Path(__file__).parents[3]
GOOD = """\
// Tools of a service.
// params: service
// access: read
// returns: id
MATCH (t:Tool {service: $service})
RETURN t.id AS id
"""


def test_a_sound_file_is_understood():
    query = parse("tools/of", GOOD)
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
        ("", 1, "header needs a sentence"),
        ("MATCH (n) RETURN n", 1, "header needs a sentence"),
        (GOOD.replace("// Tools of a service.\n", ""), 4, "header needs a sentence"),
        (GOOD.replace("// params: service\n", ""), 4, "params, access and returns"),
        (GOOD.replace("// access: read\n", ""), 4, "params, access and returns"),
        (GOOD.replace("// returns: id\n", ""), 4, "params, access and returns"),
        ("\n" + GOOD, 1, "header needs a sentence"),
        (GOOD[: GOOD.index("MATCH")], 5, "empty statement"),
        (GOOD[: GOOD.index("MATCH")] + "\n/* nothing */\n", 5, "empty statement"),
        (GOOD + ";\n", 5, "without a semicolon"),
        (GOOD.replace("read", "look"), 5, r"access must be one of .*'look'"),
        (GOOD.replace("access: read", "access:"), 5, "access must be one of"),
        (GOOD.replace("returns: id", "returns: id\n// engines: sqlite"), 6, "engines.*sqlite"),
        (GOOD.replace("params: service", "params:"), 5, r"not declared: \['service'\]"),
        (GOOD.replace("params: service", "params: service, x"), 5, r"not used: \['x'\]"),
        (GOOD.replace("// returns", "// more text\n// returns"), 4, "text after the keys"),
        (GOOD.replace("// returns", "// access: read\n// returns"), 4, "'access' stands twice"),
        (GOOD.replace("RETURN t.id AS id", "DELETE t"), 5, "read, but the statement writes"),
        (GOOD.replace("RETURN t.id AS id", "SET t.x = 1"), 5, "read, but the statement writes"),
    ],
)
def test_a_broken_file_is_refused_with_file_and_line(source, line, message):
    with pytest.raises(QueryFileError, match=message) as caught:
        parse("tools/of", source)
    assert str(caught.value).startswith(f"tools/of.cypher:{line}: ")


@pytest.mark.parametrize(
    "statement",
    [
        "RETURN '$x; DELETE'",
        'RETURN "$x;"',
        "RETURN 1 AS `$x;`",
        "RETURN 1 // $x; SET",
        "/* ; */ RETURN 1",
    ],
)
def test_what_stands_in_quotes_and_comments_is_not_looked_at(statement):
    found = parse("a/b", f"// One.\n// params:\n// access: read\n// returns:\n{statement}\n")
    assert found.text == statement
    assert found.params == ()


@pytest.mark.parametrize("name", ["tools/nothing", "nothing/list", "list", "", "../registry/shop"])
def test_a_file_that_is_not_there_is_named(name):
    with pytest.raises(QueryFileError, match=rf"^{re.escape(name)}\.cypher:1: no such query file"):
        load(name)


def test_a_name_never_leads_out_of_its_folder():
    with pytest.raises(QueryFileError, match="no such query file"):
        load("saved/../tools/remove")


def test_parameters_must_be_exactly_the_declared_ones():
    query = parse("tools/of", GOOD)
    assert query.bind({"service": "mail"}) == {"service": "mail"}
    with pytest.raises(ValueError, match=r"expected \['service'\] \(got \[\]\)"):
        query.bind({})
    with pytest.raises(ValueError, match="more"):
        query.bind({"service": "mail", "more": 1})


def test_every_shipped_file_has_a_name():
    files = (ROOT / "cypher").rglob("*.cypher")
    assert set(names()) == {
        f.relative_to(ROOT / "cypher").with_suffix("").as_posix() for f in files
    }
    assert len(names()) > 60


def test_schema_files_are_numbered_without_gaps():
    numbers = [int(name.removeprefix("schema/")[:3]) for name in names("schema")]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("name", names())
def test_a_shipped_file_loads_and_returns_what_its_header_says(name):
    query = load(name)
    if query.returns:
        last = re.split(r"\bRETURN\b(?:\s+DISTINCT\b)?", query.text)[-1]
        last = re.split(r"\bORDER BY\b|\bLIMIT\b", last)[0]
        depth, parts = 0, [""]
        for c in last:
            depth += (c in "([{") - (c in ")]}")
            if c == "," and not depth:
                parts.append("")
            else:
                parts[-1] += c
        columns = [re.split(r"\bAS\b", part)[-1].strip() for part in parts]
        assert tuple(columns) == query.returns
    else:
        assert not re.search(r"\bRETURN\b", query.text)


@pytest.mark.parametrize("name", [n for n in names() if load(n).returns])
def test_rows_come_in_an_order_of_their_own(name):
    query = load(name)
    one_row = re.search(r"RETURN (?:count|COUNT)", query.text) or re.search(
        r"\{(?:id|tool_id|name): (?:\$\w+|'registry')[,}][^-]*\n", query.text
    )
    assert one_row or "ORDER BY" in query.text


# -- the dictionary of the graph -------------------------------------------------------------

NODE = re.compile(r"\((\w*)\s*:\s*([\w|]+)\s*(?:\{([^}]*)\})?\s*\)")
EDGE = re.compile(r"\[(\w*)\s*:\s*([\w|]+)\s*(?:\*[\d.]*)?\s*(?:\{([^}]*)\})?\s*\]")
QUOTED = re.compile(r"'[^']*'|`[^`]*`|\{indexConfig.*\}", re.S)
ENGINE = {"node"}  # variables that a procedure binds


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


@pytest.mark.parametrize("name", names())
def test_a_query_uses_only_what_the_dictionary_knows(name):
    labels, types = used(load(name).text)
    assert {label for either in labels for label in either.split("|")} <= set(LABELS)
    assert set(types) <= set(RELATIONSHIPS)
    for label, properties in labels.items():
        assert properties <= {p for one in label.split("|") for p in LABELS[one]}, label
    shared = len(types) > 1  # [e:A|B]: a property of one of them
    known = {p for kind in types for p in RELATIONSHIPS[kind][2]}
    for kind, properties in types.items():
        assert properties <= (known if shared else set(RELATIONSHIPS[kind][2])), kind


@pytest.mark.parametrize("name", names())
def test_relationships_run_in_the_direction_of_the_dictionary(name):
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


@pytest.mark.parametrize("word", [*LABELS, *RELATIONSHIPS])
def test_the_folders_readme_knows_every_label_and_type(word):
    readme = ROOT / "cypher" / "README.md"
    if not readme.exists():
        pytest.skip("cypher/README.md is not written yet")
    assert re.search(rf"\b{word}\b", readme.read_text(encoding="utf-8"))
