"""Searching tools by meaning and words, in the whole registry or in one frozen menu."""

from typing import Any

from spm.gnn.encoder import encoder_of
from spm.registry import Registry
from spm.registry.access import Caller
from spm.registry.lexical import terms
from spm.registry.menus.names import name
from spm.registry.menus.providers import PROVIDERS, entries
from spm.registry.menus.sight import visible
from spm.registry.ranking import MenuItem
from spm.registry.store import Row
from spm.registry.tools import definitions
from spm.service.mcp.answers import Answer
from spm.service.mcp.questions import SearchQuestion

Json = dict[str, Any]
DEEP = 4  # so many times the limit is looked at, because filters come afterwards
SMOOTH = 60  # of reciprocal rank fusion, as it is usually done


def search_tools(registry: Registry, caller: Caller, question: SearchQuestion) -> Answer:
    """The tools that are nearest to a query."""
    cards = found(registry, caller, question)
    items = [item(rank, card) for rank, card in enumerate(cards, 1)]
    structured: Json = {"tools": [_shown(card) for card in cards]}
    if question.format:
        provider = PROVIDERS[question.format]
        specs = definitions(registry.store, [one.id for one in items])
        listed = entries(items, name(items, provider.rule), specs)
        structured["definitions"] = provider.wrap([provider.write(entry) for entry in listed])
    lines = [f"{card['id']}: {card['description'] or card['title']}" for card in cards]
    return Answer(structured, "\n".join(lines) or "No tool is about that.")


def found(registry: Registry, caller: Caller, question: SearchQuestion) -> list[Row]:
    """Cards in order: vectors and words vote by rank, so that neither needs the other's scale."""
    store, deep = registry.store, DEEP * question.limit
    votes: dict[str, float] = {}
    vector = encoder_of(store).encode_requests([question.query])[0]
    for ranking in (
        store.nearest("tool", vector, deep, caller),
        store.matching("tool", terms(question.query), deep, caller),
    ):
        for place, (tool, _) in enumerate(ranking, 1):
            votes[tool] = votes.get(tool, 0.0) + 1 / (SMOOTH + place)
    cards = visible(store, votes, caller)
    order = sorted(cards, key=lambda tool: (-votes[tool], tool))
    wanted = [cards[tool] for tool in order if _fits(cards[tool], question)]
    return wanted[: question.limit]


def item(rank: int, card: Row) -> MenuItem:
    """What naming and writing need to know of a tool that nobody scored."""
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
    text = {"type": "string"}
    columns = ("id", "name", "title", "description", "family", "service", "effects")
    tool = {
        "type": "object",
        "properties": dict.fromkeys(columns, text),
        "required": list(columns),
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


def _shown(card: Row) -> Json:
    columns = ("id", "name", "title", "description", "family", "service", "effects")
    return {column: card[column] or "" for column in columns}
