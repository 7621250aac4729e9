"""The formats of a menu. The command line, HTTP, MCP and lock files take them from here."""

from typing import Literal, get_args

TextFormat = Literal["json", "names", "markdown"]
# Definitions to paste into a call of a provider; `providers` writes them.
ProviderFormat = Literal[
    "openai", "openai-responses", "anthropic", "mcp", "tool-reference", "tool-search-output"
]
MenuFormat = Literal[TextFormat, ProviderFormat]
# A terminal also gets a table.
PrintedFormat = Literal["table", MenuFormat]

MENU_FORMATS: tuple[str, ...] = get_args(MenuFormat)
