"""The APIs of ToolBench under the names of their functions, from all places that describe them.

ToolBench calls a function `<api>_for_<tool>` and cuts what is over 64 characters off its front.
Full documents come from `api_list`s; prompts show functions with cut names and descriptions.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks.datasets.records import Record
from benchmarks.datasets.rows import Row, given, taken, tool

LONGEST = 64
MOST = 48  # outputs of a tool
_DEEPEST = 6
_OTHER = re.compile(r"[^\u4e00-\u9fa5a-zA-Z0-9_^]")
_WORDS = {"from", "class", "return", "false", "true", "id", "and"}
_LENGTH = "_list_length"  # how the templates say how long a list was
_NUMBERED = re.compile(r"[\d\W]+")
_TEMPLATE_KEY = re.compile(r'"([A-Za-z_][A-Za-z0-9_.\-]*)"\s*:')
_RESPONSE_KEY = re.compile(r"['\"]([A-Za-z_][A-Za-z0-9_.\-]*)['\"]\s*:")
_WRAPPER = {"error", "response"}  # of every response, around what the API said
_FAILED = re.compile(r"'error'|exceeded|unreachable")
_PROMPT = re.compile(
    r'This is the subfunction for tool "(.*?)", you can use this tool\.'
    r'(?:The description of this function is: "(.*)")?',
    re.DOTALL,
)
ADULT = re.compile(r"adult|porn|xxx|nsfw|onlyfans")


def function_name(tool_name: str, api_name: str) -> str:
    """The name of an API's function, uncut."""
    api = _standard(api_name)
    return f"{'is_' if api in _WORDS else ''}{api}_for_{_standard(tool_name)}"


def _standard(name: str) -> str:
    name = re.sub("_+", "_", _OTHER.sub("_", name)).lower().strip("_")
    return f"get_{name}" if name[:1].isdigit() else name


class Library:
    """The tools that were described so far.

    Attributes:
        merged: how many descriptions were of a tool that was known.
        unwanted: names of tools that are left out.
    """

    def __init__(self, unwanted: re.Pattern[str] | None = None) -> None:
        self.merged = 0
        self.unwanted = unwanted
        self._tools: dict[str, Row] = {}
        self._cut: dict[str, str] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def find(self, name: str) -> str:
        """The name under which a function is known, or the name itself."""
        return name if name in self._tools else self._cut.get(name[-LONGEST:], name)

    def rows(self) -> list[Row]:
        """The tools by name."""
        return [self._tools[name] for name in sorted(self._tools)]

    def document(self, api: Record, category: str = "", tool_name: str = "") -> None:
        """Take an API's own document, an element of an `api_list`.

        Args:
            api: the document.
            category: its category, where the document does not say so itself.
            tool_name: its tool, likewise.
        """
        tool_name = tool_name or api.need("tool_name")
        name = function_name(tool_name, api.need("api_name" if "api_name" in api else "name"))
        inputs: dict[str, Row] = {}
        for key, required in (("required_parameters", True), ("optional_parameters", False)):
            for one in api.some(key):
                row = taken(one.need("name"), one.said("type"), required, one.said("description"))
                inputs.setdefault(row["name"], row)
        about = api.said("api_description" if "api_name" in api else "description").strip()
        family = f"{category or api.said('category_name')}/{tool_name}"
        outputs = template(api.get("template_response"))
        self._put(tool(name, about, family, list(inputs.values()), outputs))

    def prompted(self, function: Record) -> None:
        """Take a function as a prompt shows it; full documents come before and are better."""
        name = function.need("name")
        if name == "Finish" or self.find(name) in self._tools:
            return
        said = _PROMPT.fullmatch(function.need("description"))
        parameters = function.inner("parameters")
        if isinstance(parameters.get("properties"), dict):
            required = parameters.get("required") or []
            inputs = [
                taken(field, spec.said("type"), field in required, spec.said("description"))
                for field in parameters["properties"]
                for spec in [parameters.inner("properties").inner(field)]
            ]
        else:  # a copy that keeps names and descriptions only
            inputs = [taken(field, "", False, str(v or "")) for field, v in parameters.items()]
        about = (said[2] or "").strip() if said else function["description"]
        self._put(tool(name, about, said[1] if said else "", inputs))

    def observe(self, responses: Iterable[tuple[str, Any]]) -> None:
        """Take the keys of recorded responses as outputs of tools that document none."""
        found: dict[str, dict[str, None]] = {}
        for name, response in responses:
            if isinstance(response, str) and not _FAILED.search(response):
                keys = (key for key in _RESPONSE_KEY.findall(response) if key not in _WRAPPER)
                found.setdefault(self.find(name), {}).update(dict.fromkeys(keys))
        for name, fields in found.items():
            if name in self._tools and not self._tools[name]["outputs"]:
                outputs = [given(field, "", "observed") for field in fields]
                self._tools[name]["outputs"] = outputs[:MOST]

    def _put(self, row: Row) -> None:
        """Add a tool, or what a known one lacks; it may be known by its cut name only."""
        name = row["name"]
        if self.unwanted and self.unwanted.search(name):
            return
        known = self._tools.get(name) or self._tools.get(name[-LONGEST:])
        if known is None:
            self._tools[name] = row
            self._cut.setdefault(name[-LONGEST:], name)
            return
        self.merged += 1
        for part in ("inputs", "outputs"):
            known[part] = known[part] or row[part]


def template(response: Any) -> list[Row]:
    """Outputs of a template of a response: every object's own fields first, then those inside."""
    if isinstance(response, str):  # cut short, so it is no JSON any more
        keys = dict.fromkeys(_TEMPLATE_KEY.findall(response))
        return [given(key, "", "") for key in keys if key != _LENGTH][:MOST]
    found: dict[str, str] = {}
    _fields(response, found, 0)
    return [given(name, kind, "") for name, kind in found.items()][:MOST]


def _fields(value: Any, found: dict[str, str], depth: int) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            if name != _LENGTH and not _NUMBERED.fullmatch(name):
                found.setdefault(name, _kind(inner))
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        _fields(inner, found, depth + 1)


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "object"
    if isinstance(value, list):
        return "array"
    return value if isinstance(value, str) else type(value).__name__
