"""The menu that a model is shown, in the format of its endpoint.

A constructor is any callable from a request and the fields known besides to ids or names of tools,
in order. The default ranker is one; so is a function of yours (`package.module:function`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.access.rules import visible_tools
from spm.registry.calling.callable_tool import Tool
from spm.registry.catalog.tools import Resolver, definitions
from spm.registry.errors import InputError
from spm.registry.menus.menu import PREFIX, SIZE, MenuItem
from spm.registry.menus.provider_names import OPENAI, name
from spm.registry.menus.providers import entries, openai
from spm.registry.models import ToolSpec
from spm.registry.registry import Registry
from spm.registry.store.interface import Store

Json = dict[str, Any]
Menus = Callable[[str, Sequence[str]], Sequence[str]]
KNOWN = ("learned", "dense", "bm25", "all")


@dataclass(frozen=True)
class Toolbox:
    """A menu in front of a model: definitions in order, and the way back from names to tools."""

    definitions: list[Json]
    tools: dict[str, Tool]

    @property
    def ids(self) -> list[str]:
        """The tools in order."""
        return [tool.id for tool in self.tools.values()]


def toolbox(store: Store, ids: Sequence[str]) -> Toolbox:
    """Put these tools in front of a model, in this order, under names that are legal."""
    specs = definitions(store, ids)
    items = [_item(rank, tool, specs[tool]) for rank, tool in enumerate(ids, 1)]
    found = entries(items, name(items, OPENAI), specs)
    tools = {entry.name: Tool(entry.item.id, entry.spec, entry.takes) for entry in found}
    return Toolbox([openai(entry) for entry in found], tools)


def resolved(menus: Menus, store: Store) -> Menus:
    """The same constructor with ids for whatever names it gives, each tool once.

    Raises:
        InputError: when it is called and names a tool that is not there.
    """
    resolver = Resolver(store)

    def ids(request: str, state: Sequence[str]) -> Sequence[str]:
        return list(dict.fromkeys(map(resolver.resolve, menus(request, state))))

    return ids


def constructor(
    said: str,
    registry: Registry,
    *,
    size: int = SIZE,
    prefix: int = PREFIX,
    caller: Caller = EVERYTHING,
) -> Menus:
    """A constructor by name: one of KNOWN, or `package.module:function`.

    Args:
        said: learned is the default ranker, dense and bm25 text alone, all every active tool by id.
        registry: where the tools are.
        size: tools in a menu; `all` knows no limit, a function of yours keeps its own.
        prefix: the longest route in front.
        caller: who asks; a function of yours decides by itself what it shows.

    Raises:
        InputError: there is no such constructor.
    """
    store = registry.store
    match said:
        case "learned":
            return lambda request, state: [
                item.id
                for item in registry.menu(
                    request, state=state, size=size, prefix=prefix, caller=caller
                ).items
            ]
        case "dense":
            from spm.gnn.encoders.by_name import encoder_of

            encoder = encoder_of(store)
            return lambda request, _: _ids(
                store.nearest("tool", encoder.encode_requests([request])[0], size, caller)
            )
        case "bm25":
            from spm.registry.search.bm25 import terms

            return lambda request, _: _ids(store.matching("tool", terms(request), size, caller))
        case "all":
            active = [row["id"] for row in registry.tools(status="active")]
            there = visible_tools(store, active, caller)
            return lambda request, _: [tool for tool in active if tool in there]
    if ":" not in said:
        raise InputError(
            f"No menus are called {said!r}. Known: {', '.join(KNOWN)}, or package.module:function."
        )
    from spm.registry.importers.python import load_function

    return resolved(load_function(said), store)


def _ids(found: list[tuple[str, float]]) -> list[str]:
    return [tool for tool, _ in found]


def _item(rank: int, tool: str, spec: ToolSpec) -> MenuItem:
    """What naming needs to know; nobody scored the tool here."""
    return MenuItem(
        rank=rank,
        id=tool,
        name=spec.name,
        title=spec.title,
        description=spec.description,
        role="backup",
        effects=spec.effects,
        needs={},
        gives=[],
        score=0.0,
        terms={},
    )
