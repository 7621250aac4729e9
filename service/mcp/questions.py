"""What the tools of the MCP server can be asked: the schemas that clients see are these models."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from spm.registry.access import Caller
from spm.registry.errors import InputError
from spm.registry.ranking import PREFIX, SIZE, Ask

MOST = 128  # tools in a menu or in an answer
Text = Annotated[str, Field(max_length=20_000)]
Short = Annotated[str, Field(min_length=1, max_length=512)]
Names = Annotated[list[Short], Field(max_length=1_000)]
Provider = Literal[
    "openai", "openai-responses", "anthropic", "mcp", "tool-reference", "tool-search-output"
]


class _Question(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MenuQuestion(_Question):
    """Which tools a request needs, in an order that can run."""

    request: Text = Field(description="What the agent should do, in a sentence.")
    state: dict[Short, Any] | Names = Field(
        default_factory=list,
        description="Fields known besides the text: names, or an object whose values are ignored.",
    )
    without: Names = Field(
        default_factory=list, description="Fields that the text seems to give and does not."
    )
    done: Names = Field(
        default_factory=list, description="Tools that ran already, in order; not offered again."
    )
    observed: Names = Field(
        default_factory=list, description="Fields that results were seen to carry."
    )
    k: int = Field(default=SIZE, ge=1, le=MOST, description="Tools in the menu.")
    prefix: int = Field(default=PREFIX, ge=1, le=MOST, description="Longest route in front.")
    token_budget: int | None = Field(
        default=None, ge=1, description="Keep what fits: the route first, then backups."
    )
    read_only: bool = Field(default=False, description="Only tools that change nothing.")
    format: Provider | None = Field(
        default=None, description="Also answer the definitions as this provider takes them."
    )
    aliases: bool = Field(
        default=False, description="Ranks in names (01_lookup_order), for clients that sort."
    )

    def ask(self, caller: Caller) -> Ask:
        """The question, asked by a caller; who is read-only stays so.

        Raises:
            InputError: the request is empty.
        """
        who = Caller(caller.team, caller.scopes, caller.read_only or self.read_only)
        known = tuple(dict.fromkeys([*self.state, *self.observed]))
        return Ask(
            self.request, known, self.k, self.prefix, who, tuple(self.done), tuple(self.without)
        )


class ExplainQuestion(MenuQuestion):
    """Why a menu is what it is, or why a tool is not in it."""

    tool: Short | None = Field(
        default=None, description="Say why this tool is absent, and what would admit it."
    )


class PathQuestion(_Question):
    """How one tool leads to another, or what must run before a tool can."""

    to: Short = Field(description="The tool to reach.")
    source: Short | None = Field(
        default=None, alias="from", description="The tool to start from; without it, a plan."
    )
    have: Names = Field(default_factory=list, description="Fields at hand, for a plan.")

    def check(self) -> None:
        """Refuse half a question of each kind.

        Raises:
            InputError: both ways to ask are mixed.
        """
        if self.source is not None and self.have:
            raise InputError("Give 'from' and 'to', or 'to' with 'have'; not both ways at once.")


class SearchQuestion(_Question):
    """Which tools are about something."""

    query: Text = Field(min_length=1, description="Words or a sentence.")
    limit: int = Field(default=10, ge=1, le=MOST, description="The most tools to answer.")
    family: Short | None = Field(default=None, description="Only tools of this family.")
    service: Short | None = Field(default=None, description="Only tools of this service.")
    menu: Short | None = Field(
        default=None,
        description="Only tools of this frozen menu, with those that make what they need.",
    )
    format: Provider | None = Field(
        default=None, description="Also answer the definitions as this provider takes them."
    )
