"""What an operation's path, method and media types say: name, family."""

import re
from collections.abc import Callable
from typing import Any, cast

from spm.registry.errors import ManifestError
from spm.registry.importers.json_schema import Found
from spm.registry.importers.nouns import belongs, fold, singular
from spm.registry.importers.references import clean
from spm.registry.map.verbs import kind_of
from spm.registry.models import InputSpec

_NOT_NOUNS = re.compile(r"v?[0-9][\w.]*|api|apis|rest|v|\W*")
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def placed(found: Found, path: str, places: dict[str, str]) -> InputSpec:
    """Give a path parameter the noun in front of it: the id of /orders/{id} is an order's."""
    spec = cast(InputSpec, found.spec)
    if len(found.path) > 1 or found.path[0] not in places:
        return spec
    if places[found.path[0]] != "path":
        return spec
    before = path.partition("{" + found.path[0] + "}")[0].rstrip("/").rpartition("/")[2]
    usable = "{" not in before and not _NOT_NOUNS.fullmatch(before.lower())
    of = belongs(spec.name, singular(fold(clean(before)))) if usable else ""
    return spec.model_copy(update={"of": of[:256], "required": True})


def nouns(path: str) -> list[str]:
    """The things that a path names, in its order."""
    parts = [clean(part) for part in path.split("/") if "{" not in part]
    # /users/search searches users: a verb that reads names no thing.
    named = [part for part in parts if kind_of(part) not in ("list", "search")]
    folded = [fold(part) for part in named if not _NOT_NOUNS.fullmatch(part.lower())]
    return [singular(part)[:256] for part in folded if part]


def owner_of(path: str) -> str:
    """Whose generic names are meant: what the path names last."""
    return next(iter(reversed(nouns(path))), "")


def family_of(path: str) -> str:
    """What kind of thing a path is about: what it names first."""
    return next(iter(nouns(path)), "")


def rank_of(media: str) -> int | None:
    """JSON first, then forms; None for what has no fields."""
    if media == "application/json":
        return 0
    if media.endswith(("+json", "/json", "/jsonl", "/x-ndjson", "/json-seq")) or media in (
        *("*/*", "application/*", "text/event-stream"),
    ):
        return 1
    return 2 if media in FORMS else None


def object_of(
    parameters: list[dict[str, Any]], schema_of: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    """The schema of an object with the parameters as properties."""
    return {
        "type": "object",
        "properties": {p["name"]: schema_of(p) for p in parameters},
        "required": [p["name"] for p in parameters if is_needed(p)],
    }


_CLASS = re.compile(r"^[A-Z][A-Za-z0-9]*(?:Controller|Service|Resource|Handler|Api)_(?=[A-Za-z])")
_USING = re.compile(r"Using(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)(?:_\d+)?$")


def own_name(name: str, method: str, path: str) -> str:
    """The part of an operationId that its author wrote.

    Generators append path and method (FastAPI: `read_item_items__item_id__get`), the method alone
    (Springfox: `getItemUsingGET_1`), or put a class in front (NestJS, gRPC-Gateway, NSwag:
    `ItemsController_remove`). Their words say nothing of what the operation does.
    """
    appended = re.sub(r"\W", "_", path) + f"_{method.lower()}"
    own = _USING.sub("", _CLASS.sub("", name.removesuffix(appended)))
    return own.strip("_") or name


def is_needed(thing: dict[str, Any]) -> bool:
    """Whether a parameter or a body must be sent."""
    return thing.get("required") is True or thing.get("in") == "path"


def checked(document: object, name: str) -> dict[str, Any]:
    """Make sure that this is an OpenAPI document with paths.

    Raises:
        ManifestError: it is not; says what was expected.
    """
    if not isinstance(document, dict):
        raise ManifestError(f"{name}: not an OpenAPI document: expected an object.")
    version = str(document.get("openapi", document.get("swagger", "")))
    if not re.match(r"3\.[0-2](?:\.|$)|2\.0$|2$", version):
        raise ManifestError(
            f"{name}: not an OpenAPI document that spm reads: version {version[:40]!r}, expected "
            "'openapi: 3.0', '3.1' or '3.2', or 'swagger: 2.0'."
        )
    if not isinstance(document.get("paths"), dict):
        raise ManifestError(f"{name}: the OpenAPI document has no paths, so it describes no tool.")
    return document
