"""Finds out what a source is (a file, a server, an import path) and reads its tools."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from spm.registry.errors import ManifestError
from spm.registry.importers.documents import manifest_of, read_manifest
from spm.registry.importers.fetching import Fetched, fetch, is_address, with_server
from spm.registry.importers.source import Source
from spm.registry.map.map_rows import RULES
from spm.registry.store.reader import Reader

FORMATS = ("spm", "openapi", "arazzo", "mcp", "functions", "python")
_IMPORT_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*)?")


def read_source(
    text: str,
    *,
    format: str | None = None,
    service: str | None = None,
    allow_remote: bool = False,
) -> Source:
    """Read the tools that a source describes.

    Args:
        text: a file, an address of one, `mcp+stdio:COMMAND`, `mcp+https://…`, or a Python import
            path.
        format: one of FORMATS; left out, the content tells.
        service: who provides the tools, when the source does not say or another name is wanted.
        allow_remote: also follow `$ref`s into files beside the document and speak plain HTTP.

    Raises:
        ManifestError: the source cannot be read or is of no known format.
    """
    if format not in (None, *FORMATS):
        raise ManifestError(f"No format {format!r}. Known: {', '.join(FORMATS)}.")
    read = _read(text, format, service, allow_remote)
    if is_address(text):
        return read
    return replace(read, origin=_origin(read, text, chosen=bool(service)))


def _origin(read: Source, text: str, *, chosen: bool) -> str:
    """What tells two sources with the same service name apart, the same on every machine.

    A manifest names its service itself, and several manifests may share one. An API has an address,
    a live server a name; of a bare list only its file can be told: folder and name. Who chose the
    service's name has said what it is: the same list in another checkout is no other source.
    """
    if read.format == "spm":
        return ""
    call = read.manifest.tools[0].call or {}
    known = str(call.get("server") or "") if read.format == "openapi" else ""
    path = Path(text)
    if not known and read.format in ("mcp", "functions", "openapi") and path.is_file():
        known = "*" if chosen else "/".join(path.resolve().parts[-2:])
    return f"{read.format}:{read.manifest.service.name}:{known}".rstrip(":")


def _read(text: str, format: str | None, service: str | None, allow_remote: bool) -> Source:
    from spm.registry.importers.mcp import is_mcp_server, read_mcp_server

    if is_mcp_server(text):
        return read_mcp_server(text, service, allow_http=allow_remote)
    if is_address(text):
        fetched = fetch(text, allow_http=allow_remote)
        if fetched is None:  # which only an ETag could bring about
            raise ManifestError(f"{text!r} sent no document.")
        return read_fetched(text, fetched, format, service)
    if "://" in text:
        raise ManifestError(f"{text!r} is no address that is fetched: only https:// and http://.")
    path = Path(text)
    if format == "python" or (format is None and _is_import_path(path)):
        from spm.registry.importers.python import read_python

        return read_python(text, service)
    return _read_file(path, format, service, allow_remote)


def _is_import_path(path: Path) -> bool:
    """A name that no file has and that no file would have."""
    named = path.suffix.lower() not in (".yaml", ".yml", ".json", ".jsonl")
    return named and not path.exists() and _IMPORT_PATH.fullmatch(str(path)) is not None


def _read_file(path: Path, format: str | None, service: str | None, allow_remote: bool) -> Source:
    from spm.registry.importers.references import files_beside, load_document

    document = load_document(path)
    kind = format or detect(document)
    if kind == "spm":
        return _named(Source(str(path), "spm", read_manifest(path)), service)
    if kind == "arazzo":
        raise ManifestError(
            f"{str(path)!r} has workflows, not tools. Register its OpenAPI document, then: "
            f"spm traces import {path}"
        )
    remote = files_beside(path) if allow_remote else None
    return _read_loaded(document, kind, path.stem, str(path), service, remote)


def read_document(
    document: object, name: str, *, format: str | None = None, service: str | None = None
) -> Source:
    """Read a document that came without a file: sent to the service, or fetched.

    Args:
        document: what JSON or YAML says.
        name: what to call it in messages, and its service when nothing else does.
        format: one of FORMATS but for `python`; left out, the content tells.
        service: as in `read_source`.

    Raises:
        ManifestError: it cannot be used, or is of no known format.
    """
    kind = format or detect(document)
    read = _read_loaded(document, kind, name, name, service, None)
    call = read.manifest.tools[0].call or {}
    server = str(call.get("server") or "") if read.format == "openapi" else ""
    # Like a list whose service somebody named: where the bytes came from tells nothing.
    origin = f"{read.format}:{read.manifest.service.name}:{server or '*'}"
    return replace(read, origin="" if read.format == "spm" else origin)


def read_fetched(
    text: str, fetched: Fetched, format: str | None = None, service: str | None = None
) -> Source:
    """Read a document that was fetched; see `read_document`.

    Args:
        text: the address as somebody wrote it.
        fetched: what came.
        format: as in `read_source`.
        service: likewise.
    """
    from spm.registry.importers.references import load_document

    parts = urlsplit(text)
    with TemporaryDirectory(prefix="spm-") as folder:
        # Its ending tells JSON from YAML, where it has one.
        path = Path(folder) / f"document{Path(parts.path).suffix[:10]}"
        path.write_bytes(fetched.body)
        try:
            document = with_server(load_document(path), fetched.url)
        except ManifestError as error:
            raise ManifestError(str(error).replace(str(path), text)) from error
    read = read_document(document, parts.hostname or text, format=format, service=service)
    mark = f"{RULES} {text} {fetched.etag}" if fetched.etag else ""
    return replace(read, name=text, etag=mark)


def known_etag(store: Reader, text: str) -> tuple[str, str]:
    """The ETag under which an address was registered last by the same rules, and its service."""
    for row in store.read("exchange/services"):
        rules, _, rest = str(row["etag"] or "").partition(" ")
        at, _, etag = rest.partition(" ")
        if rules == str(RULES) and at == text and etag:
            return etag, row["name"]
    return "", ""


def _read_loaded(
    document: object,
    kind: str | None,
    name: str,
    place: str,
    service: str | None,
    remote: Callable[[str], object] | None,
) -> Source:
    match kind:
        case "spm":
            return _named(Source(place, "spm", manifest_of(document, place)), service)
        case "openapi":
            from spm.registry.importers.openapi import read_openapi

            return read_openapi(document, name, service, remote=remote)
        case "mcp":
            from spm.registry.importers.mcp import read_mcp_list

            return read_mcp_list(document, name, service)
        case "functions":
            from spm.registry.importers.functions import read_functions

            return read_functions(document, name, service)
    raise ManifestError(
        f"{place!r} is of no known format. Known: {', '.join(FORMATS)}; force one with --from."
    )


def _named(source: Source, service: str | None) -> Source:
    """A manifest under the name that somebody chose for its service."""
    if not service:
        return source
    named = source.manifest.service.model_copy(update={"name": service})
    return replace(source, manifest=source.manifest.model_copy(update={"service": named}))


def detect(document: object) -> str | None:
    """Name the format of a parsed document, or None."""
    from spm.registry.importers.functions import looks_like_functions
    from spm.registry.importers.mcp import looks_like_mcp

    if isinstance(document, dict):
        for key, kind in (
            ("spm", "spm"),
            ("openapi", "openapi"),
            ("swagger", "openapi"),
            ("arazzo", "arazzo"),
        ):
            if key in document:
                return kind
    if looks_like_mcp(document):
        return "mcp"
    return "functions" if looks_like_functions(document) else None
