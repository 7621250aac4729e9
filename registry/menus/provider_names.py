"""Names that a provider accepts, each of one tool, and the way back from name to tool."""

import hashlib
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from spm.registry.menus.menu import MenuItem

ARROW = " → "
NO_ROUTE = "none is clear"  # where no target leads: the menu lists candidates


@dataclass(frozen=True)
class Rule:
    """What a provider allows: characters outside of which nothing is accepted, and a length."""

    illegal: re.Pattern[str]
    longest: int

    def fits(self, name: str) -> bool:
        """Whether a name can be used as it is."""
        return 0 < len(name) <= self.longest and not self.illegal.search(name)


OPENAI = Rule(re.compile(r"[^a-zA-Z0-9_-]+"), 64)
ANTHROPIC = Rule(re.compile(r"[^a-zA-Z0-9_-]+"), 128)
MCP = Rule(re.compile(r"[^A-Za-z0-9_.-]+"), 128)


@dataclass(frozen=True)
class Names:
    """What each tool of a menu is called: `of` by its id, `tools` the way back."""

    of: dict[str, str]

    @property
    def tools(self) -> dict[str, str]:
        """Tool ids by the names that stand for them."""
        return {name: tool for tool, name in self.of.items()}

    def route(self, route: list[str]) -> str:
        """The route on one line, which no client can sort."""
        return ARROW.join(self.of[tool] for tool in route)


def name(items: list[MenuItem], rule: Rule, *, ranked: bool = False) -> Names:
    """Name every tool of a menu, the same way every time.

    Tools of one name are told apart by their service, and where that does not help by a digest of
    their id; nothing depends on the order. `ranked` puts the rank in front (`01_lookup_order`), so
    that clients which sort by name keep the order.
    """
    width = max(2, len(str(max((item.rank for item in items), default=0))))
    room = rule.longest - (width + 1 if ranked else 0)
    plain = {item.id: _legal(item.name, rule) for item in items}
    chosen = _apart(plain, {item.id: _legal(item.id, rule) for item in items})
    named = {tool: _within(tool, text, room) for tool, text in chosen.items()}
    # Cutting can make two names the same again; a digest of the id cannot.
    clashes = {text for text, times in Counter(named.values()).items() if times > 1}
    for tool, text in named.items():
        if text in clashes:
            named[tool] = _marked(tool, text, room)
    if not ranked:
        return Names(named)
    return Names({item.id: f"{item.rank:0{width}d}_{named[item.id]}" for item in items})


def display_names(items: list[MenuItem]) -> dict[str, str]:
    """What people call the tools: by name, and those that share one by id, as all commands do."""
    taken = Counter(text for item in items for text in (item.name, item.id))
    return {item.id: item.name if taken[item.name] == 1 else item.id for item in items}


def _apart(plain: dict[str, str], qualified: dict[str, str]) -> dict[str, str]:
    times = Counter(plain.values())
    return {tool: qualified[tool] if times[text] > 1 else text for tool, text in plain.items()}


def _legal(text: str, rule: Rule) -> str:
    """Accents go, what is not allowed becomes a line; what nothing is left of is a tool."""
    if not rule.illegal.search(text):
        return text
    latin = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return rule.illegal.sub("_", latin).strip("_") or "tool"


def _within(tool: str, text: str, room: int) -> str:
    return text if len(text) <= room else _marked(tool, text, room)


def _marked(tool: str, text: str, room: int) -> str:
    mark = hashlib.sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{text[: room - 9]}_{mark}"
