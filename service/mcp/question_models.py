"""Models of the MCP server's tool inputs; clients see their schemas."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from spm.registry.errors import InputError
from spm.registry.menus.formats import ProviderFormat
from spm.service.routes.menus import MenuQuestion

MOST = 128  # tools in a menu or in an answer
Text = Annotated[str, Field(max_length=20_000)]
Short = Annotated[str, Field(min_length=1, max_length=512)]
Names = Annotated[list[Short], Field(max_length=1_000)]


class _Question(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


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
    allow_writes: bool = Field(
        default=False, description="Let tools that change something run only to make an input."
    )

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
    format: ProviderFormat | None = Field(
        default=None, description="Also answer the definitions as this provider takes them."
    )
