"""The authentication of an OpenAPI document: scopes, and parameters that carry credentials.

Scopes are what an operation lists below a scheme; a scheme's name (`bearer`, `api_key`) is none. A
credential is the business of whoever makes the calls: no argument for a model, and no field.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from spm.registry.catalog.naming import words

# OpenAPI says that header parameters of these names are ignored: media types and schemes say it.
_IGNORED = frozenset(("accept", "content-type", "authorization"))
# What a parameter must be called, and said to be, to count as a credential that no scheme names.
_CREDENTIAL = frozenset("token key secret auth authorization authentication password".split())
# Together with one of those, in the name of a header: X-Auth-Token, api-key.
_OF_ACCESS = frozenset("auth access api bearer csrf xsrf session".split())
_AUTHENTICATES = re.compile(
    r"\b(?:authenticat|authoriz|authoris|credential|api[ _-]?key|access[ _-]token|bearer)", re.I
)
# How documents write that an operation asks for no scope where a list must stand.
_NO_SCOPE = "none"


class Security:
    """The authentication of one document.

    Args:
        document: OpenAPI 3 or Swagger 2.0.
        follow: answers what a reference object stands for.
    """

    def __init__(
        self, document: dict[str, Any], follow: Callable[[object], dict[str, Any]]
    ) -> None:
        self._usual = document.get("security")
        parts = document.get("components")
        declared = parts.get("securitySchemes") if isinstance(parts, dict) else None
        declared = declared or document.get("securityDefinitions")
        schemes = [follow(one) for one in declared.values()] if isinstance(declared, dict) else []
        # Names of headers have no case.
        self._keys = {
            (str(one.get("name")).lower(), str(one.get("in")))
            for one in schemes
            if one.get("type") == "apiKey"
        }

    def scopes(self, operation: dict[str, Any]) -> Iterator[object]:
        """The scopes of the first way in; where one may also come without, none."""
        ways = operation.get("security", self._usual)
        ways = [way for way in ways if isinstance(way, dict)] if isinstance(ways, list) else []
        if not ways or {} in ways:
            return
        for asked in ways[0].values():
            listed = asked if isinstance(asked, list) else []
            yield from (scope for scope in listed if scope != _NO_SCOPE)

    def is_credential(self, parameter: dict[str, Any]) -> bool:
        """Whether a parameter belongs to the transport and not to the operation.

        A value in the path always belongs to the operation: `/tokens/{token}` is about a token.
        """
        name, place = str(parameter.get("name")), str(parameter.get("in"))
        if place == "path":
            return False
        if (name.lower(), place) in self._keys:
            return True
        if place == "header" and name.lower() in _IGNORED:
            return True
        said = parameter.get("description")
        text = said if isinstance(said, str) else ""
        said_by_name = {*words(name)}
        named = bool(_CREDENTIAL & said_by_name)
        if place == "header":
            return named and bool(_OF_ACCESS & said_by_name or _AUTHENTICATES.search(text))
        return named and bool(_AUTHENTICATES.match(text.strip()))
