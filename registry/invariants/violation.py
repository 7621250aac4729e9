"""What a check found."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Violation:
    """One case in which an invariant does not hold.

    Attributes:
        subject: the request, or the tool.
        expected: what should be.
        got: what is.
    """

    subject: str
    expected: str
    got: str


@dataclass(frozen=True)
class Outcome:
    """What became of one invariant.

    Attributes:
        name: a word for it.
        says: the invariant.
        tried: in how many cases it was looked for.
        violations: where it does not hold.
    """

    name: str
    says: str
    tried: int
    violations: list[Violation] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether it held."""
        return not self.violations
