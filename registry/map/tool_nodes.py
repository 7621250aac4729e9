"""Tools as the rule of FEEDS sees them: what each does, takes, needs and gives."""

from dataclasses import dataclass
from functools import cached_property

from spm.registry.access.audience import EVERYBODY, Audience
from spm.registry.map.resources import INSIDE, Given, Identity, Verb
from spm.registry.map.verbs import infinitive, kind_of

MAKES: dict[Verb, int] = {"list": 0, "search": 0, "get": 1, "create": 2}
NEEDS_ITSELF = frozenset(("get", "update", "delete", "act"))
# Words of names that tell no tool from another, and those of a caller's own things.
_FILLERS = frozenset("for by in of on to the a an with from and or all".split())
OWN = frozenset("authenticated current me my own mine self".split())
CALLER = frozenset("authenticated current me my mine".split())  # but runners are self-hosted
_ME = frozenset(("me",))
ADDING = frozenset(("add", "assign", "attach"))
# What is done to a thing for another one's sake says whose it is, and no state that it is in.
_RELATING = frozenset(("assign", "associate", "attach", "link"))


@dataclass(frozen=True)
class Takes:
    """An input of a tool, and what it identifies."""

    field: str
    identity: Identity | None
    required: bool


@dataclass(frozen=True)
class Node:
    """A tool as the rule sees it; resources carry their service in front."""

    id: str
    verb: Verb
    resource: str
    takes: tuple[Takes, ...] = ()
    gives: tuple[Given, ...] = ()
    makes: frozenset[str] = frozenset()  # fields of its answer, without those that it takes
    words: frozenset[str] = frozenset()  # of its name
    audience: Audience = EVERYBODY

    @cached_property
    def required(self) -> frozenset[str]:
        """The resources that it cannot run without."""
        return frozenset(t.identity.resource for t in self.takes if t.required and t.identity)

    @cached_property
    def _looked_into(self) -> frozenset[str]:
        """The resources of places in which it only looks, and that it may find others of."""
        inside = {
            t.identity.resource for t in self.takes if t.identity and t.identity.role == INSIDE
        }
        plain = {t.identity.resource for t in self.takes if t.identity and not t.identity.role}
        return frozenset(inside - plain)

    @cached_property
    def taken(self) -> frozenset[str]:
        """The resources that it takes, needed or not."""
        return frozenset(t.identity.resource for t in self.takes if t.identity)

    def echoes(self, given: Given) -> bool:
        """Whether it only gives back what it takes: a get takes its thing's id, declared or not."""
        if given.resource in self.required:
            return given.resource not in self._looked_into
        own = Identity(given.resource)
        single = self.verb == "get" and (not given.many or given.resource == self.resource)
        return single and any(taken.identity == own for taken in self.takes)

    def tells_of(self, resource: str) -> bool:
        """Whether things of this kind are in its answer."""
        return self.resource == resource or any(given.resource == resource for given in self.gives)

    def place_of(self, resource: str) -> frozenset[str]:
        """What it finds things of a kind in: whose they are; a caller's own are nobody else's."""
        return self.required - {resource} | (_ME if self.words & CALLER else frozenset())

    @cached_property
    def place(self) -> frozenset[str]:
        """What its own things are found in."""
        return self.place_of(self.resource)

    def adds(self, given: Given) -> bool:
        """Whether it only adds what is there already to something else."""
        if self.verb != "create" or not self.words & ADDING:
            return False
        return any(taken.identity == Identity(given.resource) for taken in self.takes)

    @cached_property
    def states(self) -> frozenset[str]:
        """The verbs of what was done to the things that it lists: blocked users, deleted files."""
        if self.verb != "list":
            return frozenset()
        done = {infinitive(word) for word in self.words - OWN if word.endswith("ed")}
        return frozenset(verb for verb in done if verb) - self.words - _RELATING

    @cached_property
    def acts(self) -> frozenset[str]:
        """The verbs of its name, and those that it takes back: unblock, block."""
        verbs = {verb for word in self.words if (verb := infinitive(word))}
        return frozenset(verbs | {verb.removeprefix("un") for verb in verbs})

    @cached_property
    def content(self) -> frozenset[str]:
        """The words of its name that say what it is about, beside verbs and fillers."""
        plain = self.words - _FILLERS - ({"user"} if self.words & OWN else set()) - OWN
        # Who is followed or blocked is not just any user.
        return frozenset(word for word in plain if kind_of(word) not in MAKES)
