"""Resources read from names and texts alone: manifests, MCP servers, function lists.

`find_user_by_email` searches users and gives one, though it declares no output; such an answer is
marked as inferred. So is one that is declared as mere text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from spm.registry.catalog.fields import canonical, folded, singular
from spm.registry.catalog.naming import words
from spm.registry.map.path_resources import Paths
from spm.registry.map.resources import (
    KEYS,
    WEAK_KEYS,
    Given,
    Identity,
    Nouns,
    Reading,
    Verb,
    is_content,
)
from spm.registry.map.tool_nodes import PROGRESS
from spm.registry.map.verbs import kind_of
from spm.registry.models import OutputSpec, ToolSpec

MAKING: frozenset[Verb] = frozenset(("list", "search", "get", "create"))
_ENDS_PHRASE = frozenset("by for with from to in of on at as via using into per and or all".split())
_INTO = frozenset(("to", "into", "onto"))
_REACH = 3  # words of a name among which its verb is looked for: jira_list_issues
_CHANGES: frozenset[Verb] = frozenset(("create", "update", "delete"))
# What a caller words himself to find or to pick something. No tool makes it.
_ASKED = frozenset("query q search pattern keyword term filter regex glob expression sql".split())
# "An array of note contents": what it is, not what something else has or where it comes from.
_SAYS_CONTENT = re.compile(
    r"^(?:(?!(?:whose|that|which|to|from|with|in|for)\b)[a-z]{1,40}\s{1,4}){0,5}(?:contents?|texts?)\b"
    r"(?!\s+(?:ids?|names?|keys?|identifiers?)\b)",
    re.I,
)
_LEVELS = 3  # of objects around a list in an answer


def read_names(tools: Sequence[ToolSpec]) -> dict[str, Reading]:
    """What the tools of one service do to which resources, by tool name."""
    read = {tool.name: _verb_and_phrase(tool) for tool in tools}
    known = set(_identified(tools))
    phrases = {"_".join(phrase) for _, phrase in read.values() if phrase}
    nouns = Nouns(known | {p for p in phrases if p.count("_") < 3})
    owned = Nouns(known)
    found = {tool.name: _read(tool, *read[tool.name], nouns, owned) for tool in tools}
    paths = Paths(((tool, read[tool.name][0]) for tool in tools), known)
    return {tool.name: paths.read(tool, found[tool.name]) for tool in tools}


def _identified(tools: Iterable[ToolSpec]) -> Iterable[str]:
    """The nouns of names that end in a key: `order_id` is an order's."""
    for tool in tools:
        for spec in (*tool.inputs, *tool.outputs):
            parts = folded(canonical(spec.name, spec.of or tool.family))
            if len(parts) > 1 and parts[-1] in KEYS - WEAK_KEYS:
                yield "_".join([*parts[:-2], singular(parts[-2])])


def _verb_and_phrase(tool: ToolSpec) -> tuple[Verb, list[str]]:
    """The verb of a tool's name, and the noun phrase after it in the singular."""
    parts = words(tool.name)
    # An importer says of each tool whether it only reads; a manifest may leave it open.
    reads = tool.effects == "read" and tool.call is not None
    otherwise: list[str] = []
    for at, word in enumerate(parts[:_REACH]):
        kind = kind_of(word)
        if kind is None:
            continue
        phrase = _phrase(parts, at)
        if not (reads and kind in _CHANGES):
            return kind, phrase
        otherwise = otherwise or phrase  # who only reads opens a thing to look at it
    return ("get" if tool.effects == "read" else "act"), otherwise


def _phrase(parts: list[str], at: int) -> list[str]:
    """The noun phrase behind the verb at this place, else before it."""
    phrase = []
    for part in parts[at + 1 :]:
        if part in _ENDS_PHRASE:
            break
        phrase.append(part)
    return _singular(phrase or parts[:at])  # orders_list


def _singular(phrase: list[str]) -> list[str]:
    return [*phrase[:-1], singular(phrase[-1])] if phrase else []


def _read(tool: ToolSpec, verb: Verb, phrase: list[str], nouns: Nouns, owned: Nouns) -> Reading:
    resource = _resource(tool, phrase, owned)
    if verb == "create" and _has_key(tool, resource) and (place := _put_into(tool, owned)):
        verb, resource = "update", place
    takes: dict[str, Identity] = {}
    for spec in tool.inputs:
        found = None if _is_free(spec) else _identity(spec, tool, nouns, owned)
        if found and verb == "create" and (found == Identity(resource) or _is_name(spec)):
            continue  # who makes a thing names it
        if found:
            takes[spec.name] = found
    names = [spec.name for spec in tool.inputs if _is_name(spec) and spec.name in takes]
    for name in names:  # beside a key of the same thing it is the new name
        if any(takes[other] == takes[name] for other in takes if other != name):
            del takes[name]
    return Reading(verb, resource, takes, _gives(tool, verb, resource, nouns, owned))


def _has_key(tool: ToolSpec, resource: str) -> bool:
    """Whether a tool takes the key of what it seems to make: that is there already."""
    spelled = (folded(canonical(spec.name, spec.of or tool.family)) for spec in tool.inputs)
    keyed = (parts for parts in spelled if parts and parts[-1] in KEYS - WEAK_KEYS)
    return any("_".join(parts[:-1]) == resource for parts in keyed)


def _put_into(tool: ToolSpec, owned: Nouns) -> str:
    """What something is put into: add_song_to_playlist makes no song, it changes a playlist."""
    parts = words(tool.name)
    at = next((at for at, word in enumerate(parts) if word in _INTO), len(parts))
    return owned.exact(_singular(parts[at + 1 :])) or ""


def _is_name(spec: OutputSpec) -> bool:
    return folded(spec.name) == ["name"]


def _is_free(spec: OutputSpec) -> bool:
    """Whether a caller words an input himself: a query, or what its description calls content."""
    keyed = not KEYS.isdisjoint(folded(spec.name)[-1:])
    return _is_asked(spec) or (not keyed and bool(_SAYS_CONTENT.search(spec.description)))


def _is_asked(spec: OutputSpec) -> bool:
    return not _ASKED.isdisjoint(folded(spec.name)[-1:])


def _identity(
    spec: OutputSpec, tool: ToolSpec, nouns: Nouns, owned: Nouns, kind: str = ""
) -> Identity | None:
    """What a field identifies. Of a bare key its description knows more than the tool's name."""
    kind = kind or spec.type
    bare = folded(spec.name)
    if len(bare) == 1 and bare[0] in KEYS and kind in ("string", "integer", "array"):
        said = nouns.described(spec.description, "")
        # What has an id is not found by its name.
        if said and not (bare[0] in WEAK_KEYS and said.resource in owned):
            return said
    found = nouns.identify(canonical(spec.name, spec.of or tool.family), spec.description, kind)
    # What only the tool is called is nobody's role: the name of a `pack_as_resource`.
    around = set(words(spec.of))
    if found and found.role and around <= {*words(tool.name), *folded(tool.name)}:
        return None if set(found.role.split("_")) <= around else found
    return found


def _resource(tool: ToolSpec, phrase: list[str], owned: Nouns) -> str:
    """What a tool acts on: customer_orders are orders, a user_profile is a user's, or all of it."""
    if found := owned.ending(phrase)[0]:
        return found
    for end in range(len(phrase), 0, -1):
        if found := owned.exact([*phrase[: end - 1], singular(phrase[end - 1])]):
            return found
    if phrase:
        return owned.fold("_".join(phrase)) or "_".join(phrase)
    return "_".join(folded(tool.family))


def _gives(
    tool: ToolSpec, verb: Verb, resource: str, nouns: Nouns, owned: Nouns
) -> tuple[Given, ...]:
    found: dict[tuple[str, str], Given] = {}
    for noun in _listed(tool.output_schema, nouns, owned):
        found[noun, ""] = Given(noun, "", True)
    for spec in tool.outputs:
        kind = "string" if spec.type == "array" else spec.type
        identity = _identity(spec, tool, nouns, owned, kind)
        if identity is None:
            continue
        own = identity == Identity(resource)
        role = "" if own else identity.role or identity.resource
        if role == identity.resource and (role, "") in found:
            continue  # the thing itself is there
        many = spec.type == "array" or (own and verb in ("list", "search"))
        found.setdefault((identity.resource, role), Given(identity.resource, role, many))
    starts = verb == "act" and resource.rpartition("_")[2] in PROGRESS  # start_run
    if (verb in MAKING or starts) and is_text(tool):
        many = verb in ("list", "search")
        for name in filter(None, (resource, *_asked_for(tool, verb, nouns))):
            found.setdefault((name, ""), Given(name, "", many, "inferred"))
    return tuple(found.values())


def is_text(tool: ToolSpec) -> bool:
    """Whether nothing is known of an answer but that it is text, which may hold anything."""
    return all(spec.type == "string" and is_content(spec.name) for spec in tool.outputs)


def _asked_for(tool: ToolSpec, verb: Verb, nouns: Nouns) -> Iterator[str]:
    """What a search finds by its query: "to match against entity names" finds entities."""
    for spec in tool.inputs if verb == "search" else ():
        said = nouns.described(spec.description, "") if _is_asked(spec) else None
        if said:
            yield said.resource


def _listed(
    schema: Mapping[str, Any] | None, nouns: Nouns, owned: Nouns, level: int = 0
) -> Iterator[str]:
    """The resources that an answer lists: `entities`, each of which has a key of its own.

    The name of the list says what its items are, whatever the tool is called.
    """
    properties = (schema or {}).get("properties")
    for name, value in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(value, dict):
            continue
        items = value.get("items")
        inner = items.get("properties") if isinstance(items, dict) else None
        if isinstance(inner, dict):
            noun = nouns.exact(folded(str(name)))
            keys = KEYS - WEAK_KEYS if noun in owned else KEYS
            if noun and any(_is_key(key, noun, keys) for key in inner):
                yield noun
        elif level < _LEVELS:
            yield from _listed(value, nouns, owned, level + 1)


def _is_key(name: object, noun: str, keys: frozenset[str]) -> bool:
    """Whether a property of a thing is its key: `id`, or `order_id` of an order."""
    parts = folded(str(name))
    return bool(parts) and parts[-1] in keys and "_".join(parts[:-1]) in ("", noun)
