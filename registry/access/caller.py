"""The caller of a request: a team, its scopes, and whether it may only read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Caller:
    """Who asks. `Caller()` is the operator of the registry and sees every active tool.

    Attributes:
        team: the caller sees public tools and those of this team; None: those of every team.
        scopes: the caller sees tools that need no other scope; None: all scopes are granted.
        read_only: the caller sees only tools that change nothing.
    """

    team: str | None = None
    scopes: tuple[str, ...] | None = None
    read_only: bool = False

    @property
    def restricted(self) -> bool:
        """Whether the rule can hide an active tool from this caller."""
        return self.team is not None or self.scopes is not None or self.read_only

    def params(self) -> dict[str, object]:
        """The parameters of the Cypher fragment `visible(tool)`."""
        return {
            "team": self.team,
            "scopes": None if self.scopes is None else sorted(self.scopes),
            "read_only": self.read_only,
        }


EVERYTHING = Caller()
