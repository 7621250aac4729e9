"""Who asks: what a caller may see is decided before anything is scored."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Caller:
    """A team with its scopes. Nobody in particular (`team=None`) is the registry's own operator.

    Attributes:
        team: sees public tools and its own; None sees every team's.
        scopes: what the team was granted; a tool is seen when it asks for nothing else. None
            stands for all scopes.
        read_only: hide every tool that changes something.
    """

    team: str | None = None
    scopes: tuple[str, ...] | None = None
    read_only: bool = False

    @property
    def restricted(self) -> bool:
        """Whether anything active could be hidden from this caller."""
        return self.team is not None or self.scopes is not None or self.read_only

    def params(self) -> dict[str, object]:
        """The three parameters of every query that filters by caller."""
        return {
            "team": self.team,
            "scopes": None if self.scopes is None else sorted(self.scopes),
            "read_only": self.read_only,
        }


EVERYTHING = Caller()
