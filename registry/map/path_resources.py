"""Files and directories that are found by their path, in services that give them no ids.

`search_files` finds paths, and `read_file` takes one. Where one looks is a path too, in the role of
what is looked into: who looks there gives others than it takes.
"""

from collections.abc import Iterable
from dataclasses import replace

from spm.registry.catalog.fields import folded, singular
from spm.registry.catalog.naming import words
from spm.registry.map.resources import INSIDE, Given, Identity, Reading, Verb, is_content
from spm.registry.models import OutputSpec, ToolSpec

PATH = "path"
_THINGS = frozenset("file directory folder dir path tree".split())
_PLACES = frozenset("path directory folder dir root".split())
_INPUTS = _PLACES | frozenset("filepath filename file".split())
_FROM = frozenset(("source", "src", "from"))
# In a name: where something is put, which is not there yet, and paths of other kinds.
_OTHERS = frozenset(
    "destination dest target to new output out save json xml url api route http query key".split()
)


class Paths:
    """The tools of one service that find paths, and what that makes of the others.

    Args:
        tools: each with its verb.
        identified: what is told apart by ids; where files are, their paths say nothing.
    """

    def __init__(self, tools: Iterable[tuple[ToolSpec, Verb]], identified: Iterable[str]) -> None:
        told = not _THINGS.isdisjoint(identified)
        self._finders = {t.name for t, verb in tools if not told and _looks(t, verb)}

    def read(self, tool: ToolSpec, own: Reading) -> Reading:
        """A tool's reading with the paths that it takes and gives; none where nobody finds any."""
        if not self._finders:
            return own
        finds = tool.name in self._finders
        takes = dict(own.takes)
        for spec in tool.inputs:
            if finds and folded(spec.name)[-1:] and folded(spec.name)[-1] in _PLACES:
                takes[spec.name] = Identity(PATH, INSIDE)
            elif not finds and _is_taken(spec, tool, own.verb):
                takes[spec.name] = Identity(PATH)
        found = (Given(PATH, "", True, "inferred"),) if finds else ()
        return replace(own, takes=takes, gives=(*own.gives, *found))


def _nouns(tool: ToolSpec) -> set[str]:
    return {singular(word) for word in words(tool.name)}


def _looks(tool: ToolSpec, verb: Verb) -> bool:
    """Whether it looks for files or directories, and may answer with what it found."""
    named = _nouns(tool)
    looks = verb in ("list", "search") or (verb == "get" and "tree" in named)
    if not looks or named.isdisjoint(_THINGS):
        return False
    # An answer that declares other fields is one of records, which are told apart by these.
    return all(
        is_content(spec.name) or not _THINGS.isdisjoint(folded(spec.name)) for spec in tool.outputs
    )


def _is_taken(spec: OutputSpec, tool: ToolSpec, verb: Verb) -> bool:
    """Whether an input is the path of something that is there."""
    parts = folded(spec.name)
    if not parts or spec.type not in ("string", "array") or not _OTHERS.isdisjoint(parts):
        return False
    if parts[0] in _FROM and (len(parts) == 1 or parts[-1] in _INPUTS):
        return not _nouns(tool).isdisjoint(_THINGS)
    # Who makes a file says where it shall be.
    return parts[-1] in _INPUTS and verb != "create"
