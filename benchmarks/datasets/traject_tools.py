"""The tools of TRAJECT-Bench: listed by domain, described by trajectories, seen to give fields."""

import re
from collections import Counter, defaultdict

from benchmarks.datasets.records import Record
from benchmarks.datasets.rows import Row, given, taken, tool

MOST = 48  # outputs of a tool
_LONGEST = 60
_QUOTED = re.compile(r"['`\"]([A-Za-z_][A-Za-z0-9_.\-]*)['`\"]")
_KEY = re.compile(r"['\"]([A-Za-z_][A-Za-z0-9_.\-]*)['\"]\s*:")
# Words that the documented formats quote without naming a field.
_NO_FIELD = {
    "array", "boolean", "error", "false", "integer", "json", "list", "none", "null", "number",
    "object", "string", "success", "true",
}  # fmt: skip


def squeezed(name: str) -> str:
    """A name as trajectories may write it: other spaces, other case."""
    return "".join(name.split()).lower()


class Library:
    """The tools, gathered from several places under their listed names."""

    def __init__(self) -> None:
        self.merged = 0
        self._tools: dict[str, Row] = {}
        self._names: dict[str, str] = {}
        self._links: list[tuple[str, str, tuple[str, ...]]] = []
        self._documented: dict[str, list[str]] = {}
        self._seen: dict[str, Counter[str]] = defaultdict(Counter)

    def find(self, name: str) -> str | None:
        """The listed name of a tool."""
        return name if name in self._tools else self._names.get(squeezed(name))

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def listed(self, record: Record) -> None:
        """Take a tool of a domain's list; of a tool in several lists the first document counts."""
        name = record.need("tool name")
        for link in record.some("connected tools"):
            filled = {one.said("name") for one in link.some("connect params")} - {""}
            self._links.append((name, link.need("tool name"), tuple(sorted(filled))))
        if name in self._tools:
            self.merged += 1
            return
        self._put(name, record.need("tool description"), record.said("parent tool name"))
        self._tools[name]["inputs"] = [
            taken(one.need("name"), one.said("type"), required, one.said("description"))
            for key, required in (("required_parameters", True), ("optional_parameters", False))
            for one in record.objects(key)
        ]
        said = record.inner("output_info").said("output_format") if "output_info" in record else ""
        self._documented[name] = [
            field
            for field in dict.fromkeys(_QUOTED.findall(said))
            if field.lower() not in _NO_FIELD and len(field) <= _LONGEST
        ]

    def describe(self, step: Record) -> None:
        """Take a tool that no list holds from a call of it: no types, some of its arguments."""
        name = step["tool name"].strip()
        known = self.find(name)
        if known is None:
            self._put(name, step.need("tool description"), step.said("parent tool name"))
        inputs = self._tools[known or name]["inputs"]
        for key, required in (("required parameters", True), ("optional parameters", False)):
            for one in step.some(key):
                if one.need("name") not in {row["name"] for row in inputs}:
                    inputs.append(taken(one["name"], "", required, ""))

    def observe(self, step: Record) -> None:
        """Count the keys that a call's recorded response shows; responses are cut short."""
        response = step.get("executed_output")
        if isinstance(response, str):
            name = step.need("tool name")
            self._seen[self.find(name) or name.strip()].update(set(_KEY.findall(response)))

    def rows(self) -> list[Row]:
        """The tools by name, each with its outputs: documented first, then the most observed."""
        return [
            {**self._tools[name], "outputs": self._outputs(name)} for name in sorted(self._tools)
        ]

    def links(self) -> list[Row]:
        """The lists' own links between tools that are known; several lists may say the same."""
        found = {
            (first, known, params)
            for first, second, params in self._links
            if (known := self._names.get(squeezed(second))) is not None
        }
        return [
            {"from": first, "to": second, "params": list(params)}
            for first, second, params in sorted(found)
        ]

    def _put(self, name: str, description: str, family: str) -> None:
        self._tools[name] = tool(name, description, family)
        self._names.setdefault(squeezed(name), name)

    def _outputs(self, name: str) -> list[Row]:
        documented = self._documented.get(name, [])
        seen = self._seen[name]
        observed = [
            field
            for field in sorted(seen, key=lambda field: (-seen[field], field))
            if field not in documented and len(field) <= _LONGEST and not field[-1].isdigit()
        ]
        found = [given(field, "", "documented") for field in documented]
        return (found + [given(field, "", "observed") for field in observed])[:MOST]
