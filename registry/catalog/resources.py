"""Resources: the kinds of things that fields identify and tools act on.

`ticket_id` identifies a ticket; `assignee_id` a user, in the role of assignee. A resource belongs
to a service. What a document says beyond names (item paths, schema names) is read by its importer;
here is what names and descriptions say, for every kind of source.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from spm.registry.catalog.fields import folded, is_control, singular
from spm.registry.catalog.naming import words

Verb = Literal["list", "search", "get", "create", "update", "delete", "act"]

# What a name ends in when it stands for a thing: the words of its key.
KEYS = frozenset(
    "id uid uuid guid gid iid key slug sha ref handle login arn urn number no num code name "
    "identifier digest ts".split()
)
# Keys that other things have too: `account_number` is no account unless accounts have a number.
WEAK_KEYS = frozenset("number no num code name ref ts digest".split())
# Roles that people have. `…_by` is one too: created_by, merged_by.
ROLES = frozenset(
    "assignee assigner requester requestor reviewer author owner creator reporter approver manager "
    "member recipient sender invitee inviter collaborator maintainer participant attendee follower "
    "lead actor submitter committer commenter contributor operator responder organizer host guest "
    "watcher subscriber delegate supervisor editor uploader caller".split()
)
PEOPLE = (
    "user",
    "member",
    "person",
    "people",
    "employee",
    "contact",
    "agent",
    "account",
    "customer",
)
# Free text that a person or the agent writes; no tool makes it for another.
CONTENT = frozenset(
    "subject title body text message description comment content note summary markdown html blocks "
    "attachments reason purpose topic caption headline greeting signature footer bio about memo "
    "label annotation instructions prompt question answer reply statement_descriptor".split()
)
_SPELLED_KEY = (
    r"(?:unique\s+)?"
    r"(?:ids?|identifiers?|names?|numbers?|keys?|slugs?|shas?|handles?|logins?|uuids?)"
)
_OF_THE = re.compile(rf"\b{_SPELLED_KEY}\s+(?:of|for)\s+(.{{3,60}})", re.I)
_NOUN_ID = re.compile(rf"((?:[A-Za-z]+[\s_-]+){{1,3}}){_SPELLED_KEY}\b", re.I)
_ARTICLES = frozenset(
    "the a an this that these those each all any one or more your its encoded".split()
)
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True)
class Identity:
    """What a field identifies: a resource of its service, perhaps in a role."""

    resource: str
    role: str = ""


@dataclass(frozen=True)
class Given:
    """A resource in a tool's answer: the thing itself, or a reference to it in some role."""

    resource: str
    role: str = ""
    many: bool = False
    evidence: str = "declared"


@dataclass(frozen=True)
class Reading:
    """What a tool does to which resource, what its inputs identify and what its answer holds."""

    verb: Verb = "act"
    resource: str = ""
    takes: Mapping[str, Identity] = field(default_factory=dict)  # by the input's own name
    gives: tuple[Given, ...] = ()


class Nouns:
    """The resources of one service, found again under any spelling.

    Args:
        known: their names in the singular, as snake case.
        keys: the identifying properties that each is known to have; unknown ones have any.
        same: other names of a resource, each with the one that stands for it.
    """

    def __init__(
        self,
        known: Iterable[str],
        keys: Mapping[str, frozenset[str]] | None = None,
        same: Mapping[str, str] | None = None,
    ) -> None:
        self._same = same or {}
        self._known = {name: tuple(name.split("_")) for name in known if name}
        self._keys = keys or {}
        self._people = self.exact([next((name for name in PEOPLE if name in self._known), "")])

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def exact(self, parts: Iterable[str]) -> str:
        """The resource of exactly these words, or ""."""
        name = "_".join(parts)
        return self._same.get(name, name) if name in self._known else ""

    def ending(self, parts: list[str]) -> tuple[str, int]:
        """The longest resource that the words end in, and how many words stand before it."""
        for start in range(len(parts)):
            if name := self.exact(parts[start:]):
                return name, start
        return "", len(parts)

    def owner(self, key: str) -> str:
        """The only resource that has a key of this name, or ""."""
        owners = {self._same.get(name, name) for name, keys in self._keys.items() if key in keys}
        return owners.pop() if len(owners) == 1 else ""

    def fold(self, name: str) -> str:
        """A schema's name as a resource: itself, or its ending that is one."""
        found, _ = self.ending(name.split("_"))
        return found

    def identify(self, name: str, description: str = "", kind: str = "string") -> Identity | None:
        """What a field identifies by its name, else by its description."""
        if kind in ("boolean", "object", "number") or is_control(name):
            return None
        parts = folded(name)
        key = parts[-1] if parts and parts[-1] in KEYS else ""
        base = parts[:-1] if key else parts
        if is_content(name):
            return None
        if not base:
            return self._described(description, "") if key != "name" else None
        if found := self._named(base, key):
            return found
        if self._people and (base[-1] in ROLES or (len(base) > 1 and base[-1] == "by")):
            return Identity(self._people, "_".join(base))
        return self._described(description, "_".join(base))

    def _named(self, base: list[str], key: str) -> Identity | None:
        base = [*base[:-1], singular(base[-1])]
        resource, before = self.ending(base)
        if not resource or (before and not key and before > 1):
            return None
        owned = self._keys.get(resource)
        if key in WEAK_KEYS and owned and key not in owned:
            return None
        return Identity(resource, "_".join(base[:before]))

    def _described(self, description: str, role: str) -> Identity | None:
        """`ID of the customer`, `The customer's ID`: what a description says it is."""
        text = description[:300]
        if found := _OF_THE.search(text):
            spoken = [w.lower() for w in _WORD.findall(found[1])]
            while spoken and spoken[0] in _ARTICLES:
                spoken = spoken[1:]
            for end in range(min(4, len(spoken)), 0, -1):
                parts = [*spoken[: end - 1], singular(spoken[end - 1])]
                resource, before = self.ending(parts)
                if resource and not before:
                    return Identity(resource, "" if role in ("", resource) else role)
        if found := _NOUN_ID.search(text[:120]):
            spoken = [w.lower() for w in words(found[1]) if w not in _ARTICLES]
            if spoken:
                resource, _ = self.ending([*spoken[:-1], singular(spoken[-1])])
                if resource:
                    return Identity(resource, "" if role in ("", resource) else role)
        return None


def is_content(name: str) -> bool:
    """Whether a field holds text that a person writes."""
    parts = folded(name)
    return bool(parts) and (parts[-1] in CONTENT or "_".join(parts) in CONTENT)
