"""Read query files: header, statement, parameters. Standard library only; runs nothing.

A file holds one statement under a `//` header, so it also runs unchanged in cypher-shell or
Neo4j Browser. What the header promises is compared with the text when the file is loaded.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

ACCESS = ("read", "write", "schema")
ENGINES = ("neo4j", "embedded")
_KEY = re.compile(r"^(params|access|returns|engines):\s*(.*)$")
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


@cache
def load(name: str) -> Query:
    """Load the query file `name`, for example `tools/upsert`.

    Raises:
        QueryFileError: there is no such file, or it breaks the rules.
    """
    source = files("spm.cypher").joinpath(f"{name}.cypher")
    if not _NAME.fullmatch(name) or not source.is_file():
        raise QueryFileError(f"{name}.cypher:1: no such query file")
    return parse(name, source.read_text(encoding="utf-8"))


@cache
def names(folder: str | None = None) -> tuple[str, ...]:
    """List the query names, all of them or those of one folder, in order."""
    root = files("spm.cypher")
    folders = [folder] if folder else [f.name for f in root.iterdir() if _holds_queries(f)]
    return tuple(
        sorted(
            f"{part}/{entry.name.removesuffix('.cypher')}"
            for part in folders
            for entry in root.joinpath(part).iterdir()
            if entry.name.endswith(".cypher")
        )
    )


def _holds_queries(folder: Traversable) -> bool:
    return folder.is_dir() and any(e.name.endswith(".cypher") for e in folder.iterdir())


def parse(name: str, source: str) -> Query:
    """Parse the text of a query file and check it against its own header.

    Raises:
        QueryFileError: with file and line.
    """
    header, statement, start = _split(source)
    doc: list[str] = []
    keys: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(header, 1):
        if found := _KEY.match(line):
            if found[1] in keys:
                raise QueryFileError(f"{name}.cypher:{number}: {found[1]!r} stands twice")
            keys[found[1]] = tuple(v.strip() for v in found[2].split(",") if v.strip())
        elif keys and line:
            raise QueryFileError(f"{name}.cypher:{number}: text after the keys: {line!r}")
        else:
            doc.append(line)
    query = Query(
        name=name,
        doc=" ".join(doc).strip(),
        params=keys.get("params", ()),
        access=next(iter(keys.get("access", ())), ""),
        returns=keys.get("returns", ()),
        engines=keys.get("engines", ENGINES),
        text=statement,
    )
    _check(query, keys, start)
    return query


def _split(source: str) -> tuple[list[str], str, int]:
    lines = source.splitlines()
    end = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    header = [line[2:].strip() for line in lines[:end]]
    return header, "\n".join(lines[end:]).strip(), end + 1


def _check(query: Query, keys: dict[str, tuple[str, ...]], line: int) -> None:
    place = f"{query.name}.cypher:{line}"
    bare = _QUOTED.sub(" ", query.text)
    used = set(_PARAM.findall(bare))
    if not query.doc or not {"params", "access", "returns"} <= set(keys):
        raise QueryFileError(f"{place}: the header needs a sentence, params, access and returns")
    if not bare.strip():
        raise QueryFileError(f"{place}: empty statement")
    if ";" in bare:
        raise QueryFileError(f"{place}: one statement per file, without a semicolon")
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
