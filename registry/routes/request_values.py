"""What a request gives to the tools of a plan, by the schemas of their inputs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from spm.registry.catalog.fields import singular
from spm.registry.catalog.naming import words
from spm.registry.map.resources import PEOPLE
from spm.registry.request.left_values import BARE
from spm.registry.request.values import Input, Match, Value, matches, read_values
from spm.registry.routes.tool_map import ToolMap

# Kinds of values that name something. Amounts, dates and counts are content, not things to look up.
_NAMES = frozenset(
    "quoted email channel handle pair id slug number uuid sha url version path name".split()
)


# Kinds that people call things by; what a machine takes for them is another key.
_LABELS = frozenset(("quoted", "email", "channel", "handle", "name"))
NEAR = 3  # words beside a value that may say what it names
SURE = 0.6  # a fit from which a value is not what another input looks up
# What a form of writing names, whatever stands beside it.
_FORMS = {
    "email": frozenset(PEOPLE),
    "handle": frozenset(PEOPLE),
    "channel": frozenset(("channel", "conversation", "room")),
}
# Kinds that an input wants by its format, whatever stands beside the value.
_FORMATS = frozenset(("email", "url", "phone", "ip", "uuid"))
# Kinds of values that say which thing is meant, and words of inputs that search for any text.
_SOUGHT = frozenset("email handle phone name slug id uuid quoted".split())
_QUERIES = frozenset("q query search keyword term text filter".split())
_MAY = 0.5  # how far an input that may be left out is what a value alone asks for
_KEYED = frozenset(("id", "number", "uuid", "reference"))  # wants that only a key satisfies
_NO_KEYS = frozenset(("word", "common", "path"))
_FILE = re.compile(r"\w\.[A-Za-z]{2,4}$")


class RequestValues:
    """The values of one request, and which inputs of which tools they are for.

    Args:
        request: the text.
        tool_map: where the inputs of tools are read.
    """

    def __init__(self, request: str, tool_map: ToolMap) -> None:
        self._request = request
        self._map = tool_map
        self._matches: dict[str, list[Match]] = {}
        self._inputs: dict[str, Sequence[Input]] = {}

    @cached_property
    def values(self) -> list[Value]:
        """All of them."""
        return read_values(self._request)

    @cached_property
    def names(self) -> frozenset[tuple[int, int]]:
        """Where the values stand that name something."""
        return frozenset((v.begin, v.end) for v in self.values if v.kind in _NAMES)

    def read(self, tools: Iterable[str]) -> None:
        """Match the values with the inputs of tools, all read at once."""
        new = [tool for tool in dict.fromkeys(tools) if tool not in self._matches]
        if not new:
            return
        inputs = self._map.inputs(new) if self.values else {}
        self._inputs.update(inputs)
        for tool in new:
            self._matches[tool] = matches(self.values, inputs.get(tool, ()))

    def fields(self, tool: str) -> frozenset[str]:
        """The fields of a tool that the request gives."""
        found = self.given(tool)
        if any(match.score <= BARE for match in found):
            # A bare name is good enough for where a thing is, not for the thing itself: that is
            # looked up, in case it was something else.
            card = self._map.cards([tool]).get(tool)
            acts = card.resource.rpartition("/")[2] if card else ""
            found = [m for m in found if m.score > BARE or m.input.resource != acts]
        return frozenset(match.input.field for match in found)

    def given(self, tool: str) -> list[Match]:
        """The inputs of a tool that the request gives, each with its value."""
        named = self.named(tool)
        found = (match for match in self._matches.get(tool, ()) if _is_taken(match))
        return [match for match in found if match.input.field not in named]

    def named(self, tool: str) -> frozenset[str]:
        """The fields of a tool that the request names by something else than their key.

        "The coupon 'Xmas'" and "for jo@acme.com" say which one is meant; its id must be looked up.
        """
        found = self._matches.get(tool, ())
        said = {m.input.field for m in found if _only_named(m.input, m.value)}
        sure = [m for m in found if m.score >= SURE and m.input.field not in said]
        taken = {(m.value.begin, m.value.end) for m in sure}
        for value in self.values:
            if value.kind in _SOUGHT and (value.begin, value.end) not in taken:
                said |= set(islice(_meant(value, self._inputs.get(tool, ())), 1))
        return frozenset(said - {m.input.field for m in sure})

    def spans(self, tool: str) -> frozenset[tuple[int, int]]:
        """Where the values stand that a tool takes; a bare name any tool takes."""
        found = self._matches.get(tool, ())
        return frozenset((m.value.begin, m.value.end) for m in found if m.score > BARE)

    def of_a_format(self, begin: int, end: int) -> frozenset[str]:
        """The formats of the values in a part of the request: an e-mail address, a URL."""
        here = (v for v in self.values if begin <= v.begin and v.end <= end)
        return frozenset(value.kind for value in here if value.kind in _FORMATS)

    def wants(self, tool: str, formats: frozenset[str]) -> float:
        """How far a tool is one that takes values of these formats, from 0 to 1."""
        found = [one for one in self._inputs.get(tool, ()) if one.want in formats]
        return max((1.0 if one.required else _MAY for one in found), default=0.0)

    def share_beside(self, tool: str, others: Iterable[str]) -> float:
        """How much of what the request names a tool takes and others do not, from 0 to 1."""
        left = self.names.difference(*(self.spans(other) for other in others))
        return len(self.spans(tool) & left) / len(left) if left else 0.0

    def names_beside(self, tools: Iterable[str]) -> list[Value]:
        """What the request calls things by, and none of these tools takes."""
        taken = frozenset[tuple[int, int]]().union(*(self.spans(tool) for tool in tools))
        names = (value for value in self.values if value.kind in _SOUGHT)
        return [value for value in names if (value.begin, value.end) not in taken]

    def finds(self, tool: str, value: Value) -> bool:
        """Whether a tool finds things by a value: it surely takes it, or somebody's name."""
        self.read([tool])
        here = value.begin, value.end
        found = (m for m in self._matches[tool] if (m.value.begin, m.value.end) == here)
        if any(match.score >= SURE for match in found):
            return True
        person = value.kind == "name" and " " in value.text
        return person and any(
            one.want == "name" or not _QUERIES.isdisjoint(one.words)
            for one in self._inputs.get(tool, ())
        )

    def share(self, tool: str) -> float:
        """How much of what the request names a tool takes, from 0 to 1."""
        if not self.names:
            return 0.0
        return len(self.spans(tool) & self.names) / len(self.names)


def _only_named(one: Input, value: Value) -> bool:
    """Whether a value says which thing is meant, but is not what the input takes."""
    return bool(one.resource) and one.want in _KEYED and value.kind in _LABELS


def _is_taken(match: Match) -> bool:
    """Whether an input takes a value as it stands.

    A key is no plain word ("the draft quote") and no file's name, and a search for other things
    does not find them by a person's address.
    """
    one, value = match.input, match.value
    if one.resource and one.want in _KEYED:
        return value.kind not in _NO_KEYS and not _FILE.search(value.text)
    return not (one.want == "text" and value.kind == "email")


def _meant(value: Value, inputs: Sequence[Input]) -> Iterator[str]:
    """The fields of inputs whose thing a value names: by the noun beside it, or by its form."""
    beside = {singular(word.lower()) for word in value.nouns[:NEAR]}
    beside |= _FORMS.get(value.kind, frozenset())
    for one in sorted(inputs, key=lambda one: not one.required):
        # The crew North-3 is looked up where crews have numbers or UUIDs.
        fits = value.kind not in _LABELS and one.fits.get(value.kind)
        if one.resource and one.want in _KEYED and not fits and beside & _nouns(one):
            yield one.field


def _nouns(one: Input) -> set[str]:
    """The nouns of the thing that an input identifies."""
    called = (words(one.resource), *one.things, *one.described)
    return {singular(name[-1]) for name in called if name}
