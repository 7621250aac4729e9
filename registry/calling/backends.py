"""The operator's file that says which backend runs the tools of a service.

    services:
      orders: {http: {base_url: https://orders.example/v1, auth_env: ORDERS_TOKEN}}
      memory: {mcp: {command: [npx, -y, "@modelcontextprotocol/server-memory"]}}
      search: {mcp: {url: https://search.example/mcp, auth_env: SEARCH_TOKEN}}
      crm: {registered: {hosts: [crm.example]}, approve: elicitation}

Nothing of the graph is ever started or asked by itself. `registered` goes to the address that a
source was registered with, as long as its host is listed; a command is never taken from there.
Credentials are named here and live in the environment. A destructive call needs
`spm menus approve`; with `approve: elicitation` the answer of a client approves one as well.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from spm.registry.addresses import address, is_loopback
from spm.registry.errors import InputError

ENVIRONMENT = "SPM_BACKENDS"
SECONDS = 30.0
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
Header = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,64}$")]


def _usable(url: str) -> str:
    try:
        parts = address(url, "an address")
    except InputError as error:
        raise ValueError(str(error)) from error
    if parts.query or parts.fragment:
        raise ValueError("must have no query and no fragment; secrets belong into auth_env")
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise ValueError("must be https, except on this machine: http is not encrypted")
    return url.rstrip("/")


Address = Annotated[str, AfterValidator(_usable)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Trusted(_Strict):
    """What every backend over the network may have."""

    auth_env: Variable | None = Field(default=None, description="Where the credential lives")
    auth_header: Header = "Authorization"
    auth_scheme: str = Field(default="Bearer", pattern=r"^[A-Za-z0-9-]*$")
    timeout: float = Field(default=SECONDS, gt=0, le=600)

    def headers(self, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
        """The credential as a header; read anew each time, so that it can be changed.

        Raises:
            InputError: the variable is not set.
        """
        if self.auth_env is None:
            return {}
        secret = environment.get(self.auth_env, "").strip()
        if not secret:
            raise InputError(f"The environment variable {self.auth_env} is not set.")
        return {self.auth_header: f"{self.auth_scheme} {secret}".strip()}


class HttpBackend(_Trusted):
    """An HTTP API: OpenAPI operations below this address, other tools by POST to it."""

    kind: Literal["http"] = "http"
    base_url: Address


class McpBackend(_Trusted):
    """An MCP server: a command that is started once, or an address."""

    kind: Literal["mcp"] = "mcp"
    command: tuple[str, ...] = ()
    env: tuple[Variable, ...] = Field(default=(), description="Variables that the command gets")
    url: Address | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("give either command or url")
        return self


class Registered(_Trusted):
    """Whatever the source was registered with, on these hosts."""

    hosts: tuple[str, ...] = Field(min_length=1)


class _Service(_Strict):
    http: HttpBackend | None = None
    mcp: McpBackend | None = None
    registered: Registered | None = None
    approve: Literal["elicitation"] | None = Field(
        default=None, description="What approves destructive calls besides `spm menus approve`"
    )

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if sum(given is not None for given in (self.http, self.mcp, self.registered)) != 1:
            raise ValueError("give one of http, mcp and registered")
        return self


Backend = HttpBackend | McpBackend


class Backends(_Strict):
    """The whole file."""

    services: dict[str, _Service] = Field(default_factory=dict)

    def of(self, service: str, call: Mapping[str, Any] | None) -> Backend | None:
        """Who runs a tool of a service; None when nobody was named.

        Args:
            service: who provides the tool.
            call: how the registry says to reach it; only believed as far as the file does.
        """
        found = self.services.get(service)
        if found is None:
            return None
        return found.http or found.mcp or _believed(found.registered, call or {})

    def elicits(self, service: str) -> bool:
        """Whether clients may approve destructive calls of a service, by asking their user."""
        found = self.services.get(service)
        return found is not None and found.approve == "elicitation"


def _believed(trust: Registered | None, call: Mapping[str, Any]) -> Backend | None:
    said = str(call.get("server") or "")
    url = said.removeprefix("mcp+")
    if trust is None or urlsplit(url).hostname not in trust.hosts:
        return None
    more = trust.model_dump(exclude={"hosts"})
    try:
        if call.get("format") == "mcp":
            return McpBackend(url=url, **more)
        return HttpBackend(base_url=url, **more)
    except ValidationError:
        return None


def read_backends(path: str | Path | None) -> Backends:
    """Read the file; without one nobody runs anything.

    Raises:
        InputError: it cannot be read or is not valid; says where.
    """
    if not path:
        return Backends()
    try:
        found = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        return Backends.model_validate({} if found is None else found)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise InputError(f"Cannot read the backends {str(path)!r}: {error}.") from error
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{str(path)!r}: {place}: {first['msg']}.") from error
