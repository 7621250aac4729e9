"""Resources read from names and texts alone: manifests, MCP servers, function lists.

`find_user_by_email` searches users and gives one, though it declares no output; such an answer is
marked as inferred.
"""

from collections.abc import Iterable, Sequence

from spm.registry.catalog.fields import canonical, folded, singular
from spm.registry.catalog.naming import words
from spm.registry.map.resources import (
    KEYS,
    WEAK_KEYS,
    Given,
    Identity,
    Nouns,
    Reading,
    Verb,
)
from spm.registry.map.verbs import kind_of
from spm.registry.models import ToolSpec

MAKING: frozenset[Verb] = frozenset(("list", "search", "get", "create"))
_ENDS_PHRASE = frozenset("by for with from to in of on at as via using into per and or all".split())
_REACH = 3  # words of a name among which its verb is looked for: jira_list_issues


def read_names(tools: Sequence[ToolSpec]) -> dict[str, Reading]:
    """What the tools of one service do to which resources, by tool name."""
    read = {tool.name: _verb_and_phrase(tool) for tool in tools}
    known = set(_identified(tools))
    phrases = {"_".join(phrase) for _, phrase in read.values() if phrase}
    nouns = Nouns(known | {p for p in phrases if p.count("_") < 3})
    owned = Nouns(known)
    return {tool.name: _read(tool, *read[tool.name], nouns, owned) for tool in tools}


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
    for at, word in enumerate(parts[:_REACH]):
        kind = kind_of(word)
        if kind is None:
            continue
        phrase = []
        for part in parts[at + 1 :]:
            if part in _ENDS_PHRASE:
                break
            phrase.append(part)
        if not phrase:
            phrase = parts[:at]  # orders_list
        return kind, _singular(phrase)
    return ("get" if tool.effects == "read" else "act"), []


def _singular(phrase: list[str]) -> list[str]:
    return [*phrase[:-1], singular(phrase[-1])] if phrase else []


def _read(tool: ToolSpec, verb: Verb, phrase: list[str], nouns: Nouns, owned: Nouns) -> Reading:
    resource = _resource(tool, phrase, owned)
    takes: dict[str, Identity] = {}
    for spec in tool.inputs:
        name = canonical(spec.name, spec.of or tool.family)
        found = nouns.identify(name, spec.description, spec.type)
        if found and not (verb == "create" and found == Identity(resource)):
            takes[spec.name] = found
    return Reading(verb, resource, takes, _gives(tool, verb, resource, nouns))


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


def _gives(tool: ToolSpec, verb: Verb, resource: str, nouns: Nouns) -> tuple[Given, ...]:
    found: dict[tuple[str, str], Given] = {}
    for spec in tool.outputs:
        name = canonical(spec.name, spec.of or tool.family)
        identity = nouns.identify(
            name, spec.description, "string" if spec.type == "array" else spec.type
        )
        if identity is None:
            continue
        own = identity == Identity(resource)
        role = "" if own else identity.role or identity.resource
        many = spec.type == "array" or (own and verb in ("list", "search"))
        found.setdefault((identity.resource, role), Given(identity.resource, role, many))
    if not tool.outputs and verb in MAKING and resource:
        many = verb in ("list", "search")
        found[resource, ""] = Given(resource, "", many, "inferred")
    return tuple(found.values())
