"""Read query files: topics, headers, statements, parameters. Standard library only; runs nothing.

A topic is one file (`tools.cypher`) with several statements. Each statement stands under a `//`
header that begins with its name, and ends with a semicolon, as cypher-shell and Neo4j Browser
expect. What a header promises is compared with the statement when it is loaded.

`access.cypher` also defines fragments, such as `visible(tool)`: wherever a statement says
`visible(t)`, the loader puts that condition in its place. Who may see a tool is written down once.
A fragment may use those that stand below it.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

ACCESS = ("read", "write", "schema")
ENGINES = ("neo4j", "embedded")
FRAGMENTS = "access"  # the topic that defines them
_KEY = re.compile(r"^(params|access|returns|engines):\s*(.*)$")
_BEGIN = re.compile(r"^// (name|fragment): (\w+)(?:\((\w+)\))?$")
# Strings, backticked names and comments are cut out before parameters and columns are looked for.
_QUOTED = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|//[^\n]*|/\*.*?\*/", re.S)
_NAME = re.compile(r"\w+/\w+")
_PARAM = re.compile(r"\$(\w+)")


class QueryFileError(Exception):
    """A query file that breaks the rules; the message starts with file and line."""


@dataclass(frozen=True)
class Query:
    """One statement with what its header says about it."""

    name: str
    doc: str
    params: tuple[str, ...]
    access: str
    returns: tuple[str, ...]
    engines: tuple[str, ...]
    text: str

    def bind(self, given: dict[str, object]) -> dict[str, object]:
        """Return `given` when it holds exactly the declared parameters.

        Raises:
            ValueError: a parameter is missing or unknown.
        """
        if set(given) != set(self.params):
            raise ValueError(f"{self.name}: expected {sorted(self.params)} (got {sorted(given)})")
        return given


@dataclass(frozen=True)
class Fragment:
    """A condition with one variable, which statements use like a function."""

    name: str
    variable: str
    text: str

    def expand(self, statement: str) -> str:
        """Put the condition in the place of every use, for the variable of that use."""
        return re.sub(rf"\b{self.name}\((\w+)\)", lambda use: f"({self._of(use[1])})", statement)

    def _of(self, variable: str) -> str:
        return re.sub(rf"\b{self.variable}\b", variable, self.text)


@dataclass(frozen=True)
class Block:
    """A named part of a topic: its header without the name, its statement and where it begins."""

    kind: str
    name: str
    variable: str | None
    header: tuple[str, ...]
    header_line: int
    text: str
    line: int


@cache
def load(name: str) -> Query:
    """Load the statement `name`, for example `tools/upsert`: `upsert` of `tools.cypher`.

    Raises:
        QueryFileError: there is no such statement, or it breaks the rules.
    """
    topic, _, statement = name.partition("/")
    found = _topic(topic) if _NAME.fullmatch(name) else {}
    if statement not in found or found[statement].kind != "name":
        raise QueryFileError(f"{topic}.cypher:1: no statement {name!r}")
    return parse(topic, found[statement], _fragments())


@cache
def names(topic: str | None = None) -> tuple[str, ...]:
    """List the names of the statements, all of them or those of one topic, in order."""
    topics = [topic] if topic else sorted(_topics())
    return tuple(
        sorted(f"{t}/{b.name}" for t in topics for b in _topic(t).values() if b.kind == "name")
    )


def _topics() -> list[str]:
    entries = (entry.name for entry in files("spm.cypher").iterdir())
    return [name.removesuffix(".cypher") for name in entries if name.endswith(".cypher")]


@cache
def _topic(topic: str) -> dict[str, Block]:
    source = files("spm.cypher").joinpath(f"{topic}.cypher")
    return split(topic, source.read_text(encoding="utf-8")) if source.is_file() else {}


@cache
def _fragments() -> tuple[Fragment, ...]:
    blocks = _topic(FRAGMENTS).values()
    return tuple(Fragment(b.name, b.variable or "", b.text) for b in blocks if b.kind == "fragment")


def split(topic: str, source: str) -> dict[str, Block]:
    """Split the text of a topic into its named blocks.

    Raises:
        QueryFileError: with file and line.
    """
    lines = source.splitlines()
    begins = [number for number, line in enumerate(lines) if _BEGIN.match(line)]
    before = lines[: begins[0]] if begins else lines
    if not any(line.startswith("//") for line in before):
        raise QueryFileError(f"{topic}.cypher:1: the file needs a sentence about its topic")
    for number, line in enumerate(before, 1):
        if line and not line.startswith("//"):
            raise QueryFileError(f"{topic}.cypher:{number}: a statement without a name")
    found: dict[str, Block] = {}
    for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        block = _block(topic, lines[begin:end], begin + 1)
        if block.name in found:
            raise QueryFileError(f"{topic}.cypher:{begin + 1}: {block.name!r} stands twice")
        found[block.name] = block
    return found


def _block(topic: str, lines: list[str], line: int) -> Block:
    begin = _BEGIN.match(lines[0])
    assert begin is not None
    kind, name, variable = begin.groups()
    end = next((i for i, text in enumerate(lines) if not text.startswith("//")), len(lines))
    header = tuple(text[2:].strip() for text in lines[1:end])
    statement = "\n".join(lines[end:]).strip()
    place = f"{topic}.cypher:{line + end}"
    if (kind == "fragment") != (variable is not None):
        raise QueryFileError(f"{topic}.cypher:{line}: a fragment has a variable, a name has none")
    bare = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), statement)
    if not bare.strip(" \n;"):
        raise QueryFileError(f"{place}: empty statement")
    if not bare.endswith(";"):
        raise QueryFileError(f"{place}: a statement ends with a semicolon")
    if ";" in bare[:-1]:
        raise QueryFileError(f"{place}: one statement under each name")
    return Block(kind, name, variable, header, line + 1, statement[:-1].rstrip(), line + end)


def parse(topic: str, block: Block, fragments: tuple[Fragment, ...] = ()) -> Query:
    """Read the header of a block and compare it with the statement.

    Raises:
        QueryFileError: with file and line.
    """
    doc: list[str] = []
    keys: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(block.header, block.header_line):
        if found := _KEY.match(line):
            if found[1] in keys:
                raise QueryFileError(f"{topic}.cypher:{number}: {found[1]!r} stands twice")
            keys[found[1]] = tuple(v.strip() for v in found[2].split(",") if v.strip())
        elif keys and line:
            raise QueryFileError(f"{topic}.cypher:{number}: text after the keys: {line!r}")
        else:
            doc.append(line)
    text = block.text
    for fragment in fragments:
        text = fragment.expand(text)
    query = Query(
        name=f"{topic}/{block.name}",
        doc=" ".join(doc).strip(),
        params=keys.get("params", ()),
        access=next(iter(keys.get("access", ())), ""),
        returns=keys.get("returns", ()),
        engines=keys.get("engines", ENGINES),
        text=text,
    )
    _check(query, keys, f"{topic}.cypher:{block.line}")
    return query


def _check(query: Query, keys: dict[str, tuple[str, ...]], place: str) -> None:
    bare = _QUOTED.sub(" ", query.text)
    used = set(_PARAM.findall(bare))
    if not query.doc or not {"params", "access", "returns"} <= set(keys):
        raise QueryFileError(f"{place}: the header needs a sentence, params, access and returns")
    if query.access not in ACCESS:
        raise QueryFileError(f"{place}: access must be one of {ACCESS} (got {query.access!r})")
    if unknown := set(query.engines) - set(ENGINES):
        raise QueryFileError(f"{place}: unknown engines {sorted(unknown)}")
    if undeclared := used - set(query.params):
        raise QueryFileError(f"{place}: parameters used but not declared: {sorted(undeclared)}")
    if unused := set(query.params) - used:
        raise QueryFileError(f"{place}: parameters declared but not used: {sorted(unused)}")
    if query.access == "read" and re.search(r"\b(CREATE|MERGE|SET|DELETE|REMOVE)\b", bare):
        raise QueryFileError(f"{place}: access is read, but the statement writes")
