"""Registering at a service that runs elsewhere, as CI does it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spm.registry.addresses import address, require_secure
from spm.registry.errors import InputError

SECONDS = 120.0
LISTS = ("mcp", "functions")
TOKEN = "SPM_TOKEN"  # noqa: S105: the name of a variable


def token(file: Path | None = None, environment: Mapping[str, str] = os.environ) -> str | None:
    """The secret to ask with: what a file holds, else SPM_TOKEN, else none, as on one machine.

    Raises:
        InputError: the file cannot be read.
    """
    if file is None:
        return environment.get(TOKEN) or None
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read the token in {str(file)!r}: {error}.") from error


def register_at(
    server: str,
    file: str,
    *,
    secret: str | None = None,
    allow_http: bool = False,
    **asked: Any,
) -> dict[str, Any]:
    """Send a document to `POST /v1/sources` of a service; answers what it answered.

    Args:
        server: its address.
        file: an OpenAPI document, a list of tools or functions, or a manifest.
        secret: a token that may register.
        allow_http: speak plain HTTP with another machine.
        asked: members of the body besides the document; None stands for the service's default.

    Raises:
        InputError: the file or the address cannot be used, or the service refused it.
    """
    from spm.registry.importers.detection import detect
    from spm.registry.importers.functions import service_name
    from spm.registry.importers.references import load_document

    parts = address(server, "--server")
    require_secure(parts, "--server", allow_http=allow_http)
    if not Path(file).is_file():
        raise InputError(f"{file!r} is no file, and only files are sent to a service.")
    document = load_document(Path(file))
    said = {name: value for name, value in asked.items() if value is not None}
    if (said.get("format") or detect(document)) in LISTS:
        # A list says nothing of its service; here the file's name does, as without a server.
        said.setdefault("service", service_name(Path(file).stem))
    body = json.dumps({"document": document, **said}).encode()
    return _answer(server.rstrip("/") + "/v1/sources", body, secret, file)


def _answer(url: str, body: bytes, secret: str | None, file: str) -> dict[str, Any]:
    try:
        from spm.registry.calling.client import Unreachable, send
    except ImportError as error:
        raise InputError(
            "A service is asked by httpx2, which is not installed. Install it with: "
            "pip install 'spm-registry[mcp]'"
        ) from error
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    headers |= {"Authorization": f"Bearer {secret}"} if secret else {}
    try:
        answer = send("POST", url, body, SECONDS, headers)
        found = answer.json()
    except Unreachable as error:
        raise InputError(f"{url!r} gives no answer: {error}. It is safe to repeat this.") from error
    except ValueError as error:
        raise InputError(f"{url!r} answered {answer.status} and no JSON. Is it spm?") from error
    if not isinstance(found, dict):
        raise InputError(f"{url!r} answered {answer.status} and no object. Is it spm?")
    if answer.status != 200:
        told = " ".join(str(found.get(name, "")) for name in ("detail", "next")).strip()
        raise InputError(f"{file!r} was refused ({answer.status}): {told}")
    return found
