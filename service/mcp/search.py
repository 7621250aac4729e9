"""Searching tools by meaning and words: in the whole registry, or closed within one frozen menu."""

from typing import Any

import numpy as np

from spm.gnn.encoders.by_name import encoder_of
from spm.registry.access.caller import Caller
from spm.registry.access.rules import visible_tools
from spm.registry.catalog.tools import definitions
from spm.registry.menus import frozen
from spm.registry.menus.menu import MenuItem
from spm.registry.menus.provider_names import Names, name
from spm.registry.menus.providers import PROVIDERS, Entry, entries
from spm.registry.registry import Registry
from spm.registry.search.bm25 import terms
from spm.registry.store.interface import Row, Store
from spm.service.mcp.answers import Answer
from spm.service.mcp.call_forwarding import offered
from spm.service.mcp.question_models import SearchQuestion

Json = dict[str, Any]
COLUMNS = ("id", "name", "title", "description", "family", "service", "effects")
DEEP = 4  # so many times the limit is looked at, because filters come afterwards
SMOOTH = 60  # of reciprocal rank fusion, as it is usually done


def search_tools(registry: Registry, caller: Caller, question: SearchQuestion) -> Answer:
    """The tools that are nearest to a query.

    Raises:
        UnknownMenu: the frozen menu is not there, or another team's.
    """
    found = (
        _within(registry, caller, question) if question.menu else _all(registry, caller, question)
    )
    structured: Json = {"tools": [_shown(entry) for entry in found]}
    if question.format:
        structured["definitions"] = written(found, question.format)
    lines = [f"{entry.item.id}: {entry.description}" for entry in found]
    return Answer(structured, "\n".join(lines) or "No tool is about that.")


def written(found: list[Entry], format: str) -> Any:
    """Tools as a provider takes them; those of a frozen menu under the names that it has."""
    provider = PROVIDERS[format]
    names = {entry.item.id: entry.name for entry in found}
    if not all(provider.rule.fits(known) for known in names.values()):
        names = name([entry.item for entry in found], provider.rule).of
    specs = {entry.item.id: entry.spec for entry in found}
    again = entries([entry.item for entry in found], Names(names), specs)
    return provider.wrap([provider.write(entry) for entry in again])


def _all(registry: Registry, caller: Caller, question: SearchQuestion) -> list[Entry]:
    """Vectors and words vote by rank, so that neither needs the other's scale."""
    store, deep = registry.store, DEEP * question.limit
    vector = encoder_of(store).encode_requests([question.query])[0]
    near = store.nearest("tool", vector, deep, caller)
    worded = store.matching("tool", terms(question.query), deep, caller)
    votes = _votes([tool for tool, _ in near], [tool for tool, _ in worded])
    cards = visible_tools(store, votes, caller)
    order = sorted(cards, key=lambda tool: (-votes[tool], tool))
    wanted = [cards[tool] for tool in order if _fits(cards[tool], question)][: question.limit]
    items = [_item(rank, card) for rank, card in enumerate(wanted, 1)]
    specs = definitions(store, [item.id for item in items])
    return entries(items, name(items, PROVIDERS[question.format or "openai"].rule), specs)


def _within(registry: Registry, caller: Caller, question: SearchQuestion) -> list[Entry]:
    """Members of a frozen menu and what makes their inputs, in its order: nothing else answers."""
    menu = frozen.get(registry.store, str(question.menu), caller).menu
    there = {entry.item.id: entry for entry in offered(registry.store, menu, caller)}
    cards = visible_tools(registry.store, there, caller)
    known = [tool for tool in there if _fits(cards[tool], question)]
    chosen = set(_ranked(registry.store, known, there, question.query)[: question.limit])
    waiting = list(chosen)
    while waiting:  # a closed set: whoever is shown a tool is shown who feeds it
        for makers in there[waiting.pop()].item.needs.values():
            maker = next((tool for tool in makers if tool in there), None)
            if maker and not chosen.intersection(makers):
                chosen.add(maker)
                waiting.append(maker)
    return [entry for tool, entry in there.items() if tool in chosen]


def _ranked(store: Store, tools: list[str], there: dict[str, Entry], query: str) -> list[str]:
    vector = encoder_of(store).encode_requests([query])[0]
    cosines = np.round(store.vectors("tool", tools) @ vector, 6) if tools else []
    asked = set(terms(query))
    shared = [len(asked & set(terms(_text(there[tool])))) for tool in tools]
    near = sorted(range(len(tools)), key=lambda at: -cosines[at])
    worded = sorted((at for at in range(len(tools)) if shared[at]), key=lambda at: -shared[at])
    votes = _votes([tools[at] for at in near], [tools[at] for at in worded])
    return sorted(tools, key=lambda tool: -votes[tool])


def _votes(*rankings: list[str]) -> dict[str, float]:
    votes: dict[str, float] = {}
    for ranking in rankings:
        for place, tool in enumerate(ranking, 1):
            votes[tool] = votes.get(tool, 0.0) + 1 / (SMOOTH + place)
    return votes


def _text(entry: Entry) -> str:
    return f"{entry.spec.name} {entry.spec.title} {entry.spec.description}"


def _item(rank: int, card: Row) -> MenuItem:
    """What naming and writing need to know of a tool that is in no menu."""
    return MenuItem(
        rank=rank,
        id=card["id"],
        name=card["name"],
        title=card["title"],
        description=card["description"],
        role="backup",
        effects=card["effects"],
        needs={},
        gives=[],
        score=0.0,
        terms={},
    )


def search_schema() -> Json:
    """The schema of an answer."""
    tool = {
        "type": "object",
        "properties": {column: {"type": "string"} for column in COLUMNS},
        "required": list(COLUMNS),
    }
    return {
        "type": "object",
        "properties": {
            "tools": {"type": "array", "items": tool},
            "definitions": {"description": "As the provider takes them."},
        },
        "required": ["tools"],
    }


def _fits(card: Row, question: SearchQuestion) -> bool:
    families = question.family in (None, card["family"])
    return families and question.service in (None, card["service"])


def _shown(entry: Entry) -> Json:
    spec, identity = entry.spec, entry.item.id
    return {
        "id": identity,
        "name": entry.name,
        "title": spec.title,
        "description": entry.description,
        "family": spec.family,
        "service": identity.partition("/")[0],
        "effects": spec.effects,
    }
