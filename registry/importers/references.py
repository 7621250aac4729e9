"""Loads JSON or YAML documents and follows their references, within bounds.

Nothing is fetched from the network here, and no file outside the document's own folder is opened.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin

from spm.registry.catalog.naming import _INVISIBLE
from spm.registry.errors import InputError, ManifestError
from spm.registry.importers.documents import _decoded, _from_json, _is_json

MAX_BYTES = 64_000_000
MAX_DEPTH = 64
# JSON values cost about 150 bytes each in memory, however few bytes they have in the file. The
# largest real document that was tried (Microsoft Graph beta, 47 MB) has 1.9 million.
MAX_VALUES = 3_000_000
# What YAML aliases may grow to when they are written out.
MAX_EXPANDED = 2_000_000
MAX_FILES = 200

_CORE = "tag:yaml.org,2002:"
_PLAIN_TAGS = {_CORE + kind for kind in ("int", "float", "bool", "null", "map", "seq")}
_TEXT_TAGS = {"!", *(_CORE + kind for kind in ("str", "binary", "timestamp"))}
_INTEGER = re.compile(r"[-+]?[0-9]{1,40}")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]{1,3})?")
_CONSTANTS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def load_document(path: Path, kind: type[InputError] = ManifestError) -> object:
    """Load a document in JSON or YAML.

    YAML is read by its core schema, as OpenAPI asks for: `200` as a key and `no` as a value stay
    text, dates too. Aliases are followed as long as they stay small.

    Raises:
        InputError: of the given kind; the file cannot be read or parsed, or is too large or deep.
    """
    raw = _text(path, kind)
    if _is_json(path, raw):
        if raw.count(",") + raw.count("[") + raw.count("{") > MAX_VALUES:
            raise kind(f"{path}: more than {MAX_VALUES:,} values. Split the document.")
        data = _from_json(raw, str(path), kind)
        _refuse_depth(data, path, kind)
        return data
    return _from_yaml(raw, path, kind)


class Notes:
    """What was left out or guessed, by reason, so that a thousand places give a few sentences."""

    def __init__(self) -> None:
        self._places: dict[str, dict[str, None]] = {}

    def add(self, reason: str, place: str = "") -> None:
        """Say that something happened, and where."""
        self._places.setdefault(reason, {})[" ".join(clean(place)[:100].split())] = None

    def sentences(self) -> tuple[str, ...]:
        """One sentence for each reason, with the first places."""
        return tuple(_sentence(reason, list(found)) for reason, found in self._places.items())


def _sentence(reason: str, places: list[str]) -> str:
    if places == [""]:
        return f"{reason}."
    return f"{reason} ({len(places)}): {', '.join(places[:5])}{', …' if len(places) > 5 else ''}"


def clean(text: str) -> str:
    """Text as the registry accepts it: no invisible characters, no halves of characters."""
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _INVISIBLE.sub(_visible, text)
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _visible(found: re.Match[str]) -> str:
    if found[0] in "\n\t":
        return found[0]
    return " " if found[0] < "\u00a0" or found[0] in "\u2028\u2029" else ""


class References:
    """Follows `$ref` inside one document; into others only through `remote`.

    Call it with a reference: it answers the value there, or None when there is none.
    """

    def __init__(self, document: object, remote: Callable[[str], object] | None = None) -> None:
        self._documents: dict[str, object] = {"": document}
        self._remote = remote
        self.notes = Notes()

    def __call__(self, reference: str) -> object:
        """Answer what stands at a reference."""
        address, _, pointer = reference.partition("#")
        try:
            value = self._at(self._document(address), unquote(pointer))
        except InputError as error:
            self.notes.add(f"Not followed: {error}", reference)
            return None
        except LookupError:
            self.notes.add("References that lead nowhere", reference)
            return None
        return value

    def _document(self, address: str) -> object:
        if address not in self._documents:
            if self._remote is None:
                raise InputError("references to other documents are off")
            # Its own references are relative to it, so they are made absolute once.
            self._documents[address] = _absolute(self._remote(address), address, MAX_DEPTH)
        return self._documents[address]

    @staticmethod
    def _at(value: Any, pointer: str) -> object:
        if pointer and not pointer.startswith("/"):
            raise LookupError(pointer)
        for part in pointer.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(value, list) and key.isascii() and key.isdigit() and len(key) < 10:
                value = value[int(key)]
            elif isinstance(value, dict):
                value = value[key]
            else:
                raise LookupError(pointer)
        return value


def _absolute(value: object, address: str, depth: int) -> object:
    if depth < 0:
        return None
    if isinstance(value, list):
        return [_absolute(v, address, depth - 1) for v in value]
    if not isinstance(value, dict):
        return value
    found = {k: _absolute(v, address, depth - 1) for k, v in value.items()}
    reference = found.get("$ref")
    if isinstance(reference, str):
        near = reference.startswith("#")
        found["$ref"] = address + reference if near else urljoin(address, reference)
    return found


def files_beside(path: Path, kind: type[InputError] = ManifestError) -> Callable[[str], object]:
    """A loader for relative references to files in the document's folder or below it.

    Raises (when called):
        InputError: the reference is a URL, leaves the folder, or is one of too many.
    """
    folder = path.resolve().parent
    loaded: dict[Path, object] = {}
    spent = 0

    def load(reference: str) -> object:
        nonlocal spent
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\]", reference):
            raise kind(f"{reference!r} is not a file beside the document: not read.")
        # Resolved first, so that neither `..` nor a link leads out.
        target = (folder / reference).resolve() if "\0" not in reference else folder
        if not target.is_relative_to(folder) or target == folder:
            raise kind(f"{reference!r} leads out of the document's folder: not read.")
        if target not in loaded:
            if len(loaded) >= MAX_FILES or spent > MAX_BYTES:
                raise kind(f"{path}: refers to too many other files, or too large ones.")
            loaded[target] = load_document(target, kind)
            spent += target.stat().st_size
        return loaded[target]

    return load


def _text(path: Path, kind: type[InputError]) -> str:
    try:
        with path.open("rb") as file:
            # The size first, to refuse without reading; a pipe says 0 and is read up to the limit.
            size = path.stat().st_size
            raw = file.read(MAX_BYTES + 1) if size <= MAX_BYTES else b""
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise kind(f"Cannot read {str(path)!r}: {reason}.") from error
    if size > MAX_BYTES or len(raw) > MAX_BYTES:
        found = f"{size:,}" if size > MAX_BYTES else "more"
        raise kind(
            f"{str(path)!r} has {found} bytes; the limit is {MAX_BYTES:,}. Split the document, or "
            "use the one with references if this is the one that has them written out."
        )
    return _decoded(raw, str(path), kind)


def _refuse_depth(data: object, path: Path, kind: type[InputError]) -> None:
    layer, depth = [data], 0
    while layer:
        if depth > MAX_DEPTH:
            raise kind(f"{path}: nested deeper than {MAX_DEPTH}.")
        below: list[object] = []
        for value in layer:
            if isinstance(value, dict):
                below.extend(v for v in value.values() if isinstance(v, dict | list))
            elif isinstance(value, list):
                below.extend(v for v in value if isinstance(v, dict | list))
        layer, depth = below, depth + 1


def _from_yaml(raw: str, path: Path, kind: type[InputError]) -> object:
    import yaml

    builder = _Builder(path, kind)
    try:
        for event in yaml.parse(raw, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            builder.take(type(event).__name__, event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise kind(f"{place}: not valid YAML: {error.problem}. Is the file complete?") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise kind(f"{path}: not valid YAML: {error}") from error
    return builder.root


class _Open:
    """A mapping or sequence that is being read."""

    def __init__(self, value: dict[str, Any] | list[Any], anchor: str | None) -> None:
        self.value, self.anchor = value, anchor
        self.key: str | None = None
        self.merged: list[Any] = []
        self.size = 1


class _Builder:
    """Values from YAML events, without recursion: an alias is the same object, counted again."""

    def __init__(self, path: Path, kind: type[InputError]) -> None:
        self.path, self.kind = path, kind
        self.root: object = None
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.documents = self.total = 0

    def take(self, name: str, event: Any) -> None:
        if name == "ScalarEvent":
            self._scalar(event)
        elif name in ("MappingStartEvent", "SequenceStartEvent"):
            self._start({} if name == "MappingStartEvent" else [], event)
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            self._end()
        elif name == "AliasEvent":
            self._alias(event)
        elif name == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                raise self._error(event, "a second document in the file")

    def _start(self, value: dict[str, Any] | list[Any], event: Any) -> None:
        if event.tag and event.tag not in _PLAIN_TAGS:
            raise self._error(event, f"the tag {event.tag!r} is not supported")
        if self.open and self._wants_key():
            raise self._error(event, "a key that is not text")
        if len(self.open) >= MAX_DEPTH:
            raise self._error(event, f"nested deeper than {MAX_DEPTH}")
        self._count(1, event)
        self.anchors.pop(event.anchor, None)  # until it is complete, an alias would be a circle
        self.open.append(_Open(value, event.anchor))

    def _end(self) -> None:
        done = self.open.pop()
        if isinstance(done.value, dict):
            for other in done.merged:
                done.value.update({k: v for k, v in other.items() if k not in done.value})
        self._add(done.value, done.size, done.anchor)

    def _scalar(self, event: Any) -> None:
        self._count(1, event)
        if self.open and self._wants_key():
            self._key(event.value, event)
            if event.anchor:
                self.anchors[event.anchor] = (event.value, 1)
            return
        self._add(self._plain(event), 1, event.anchor)

    def _plain(self, event: Any) -> object:
        text: str = event.value
        if event.tag in _TEXT_TAGS or (event.tag is None and not event.implicit[0]):
            return text
        if event.tag and event.tag not in _PLAIN_TAGS:
            raise self._error(event, f"the tag {event.tag!r} is not supported")
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        return float(text) if _NUMBER.fullmatch(text) else text

    def _alias(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            raise self._error(event, f"the alias *{event.anchor} stands for itself or for nothing")
        value, size = self.anchors[event.anchor]
        self._count(size, event)
        if self.open and self._wants_key():
            if not isinstance(value, str):
                raise self._error(event, "a key that is not text")
            self._key(value, event)
            return
        self._add(value, size, None)

    def _count(self, size: int, event: Any) -> None:
        self.total += size
        if self.total > MAX_EXPANDED:
            raise self._error(event, f"more than {MAX_EXPANDED:,} values with the aliases followed")

    def _wants_key(self) -> bool:
        return isinstance(self.open[-1].value, dict) and self.open[-1].key is None

    def _key(self, key: str, event: Any) -> None:
        parent = self.open[-1]
        if key in parent.value:
            raise self._error(event, f"the key {key!r} stands twice")
        parent.key = key

    def _add(self, value: Any, size: int, anchor: str | None) -> None:
        if anchor:
            self.anchors[anchor] = (value, size)
        if not self.open:
            self.root = value
            return
        parent = self.open[-1]
        parent.size += size
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif parent.key == "<<" and isinstance(value, dict | list):
            parent.merged += [v for v in _listed(value) if isinstance(v, dict)]
            parent.key = None
        else:
            parent.value[str(parent.key)] = value
            parent.key = None

    def _error(self, event: Any, problem: str) -> InputError:
        mark = event.start_mark
        return self.kind(f"{self.path}:{mark.line + 1}:{mark.column + 1}: {problem}.")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
