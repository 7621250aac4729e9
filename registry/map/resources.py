"""Resources: the kinds of things that fields identify and tools act on.

`ticket_id` identifies a ticket; `assignee_id` a user, in the role of assignee. A resource belongs
to a service. What a document says beyond names (item paths, schema names) is read by its importer;
here is what names and descriptions say, for every kind of source.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Literal

from spm.registry.catalog.fields import folded, is_control, singular
from spm.registry.catalog.naming import words

Verb = Literal["list", "search", "get", "create", "update", "delete", "act"]

# What a name ends in when it stands for a thing: the words of its key.
KEYS = frozenset(
    "id uid uuid guid gid iid key slug sha ref handle login arn urn number no num code name "
    "identifier digest ts sku".split()
)
# What the name of a reference or of a search result has behind the thing.
_BEHIND = frozenset(
    "item result search simple entry hit match node edge list collection success ref reference "
    "object resource record".split()
)
# Keys that other things have too: `account_number` is no account unless accounts have a number.
WEAK_KEYS = frozenset("number no num code name ref ts digest".split())
# Roles that people have. `…_by` is one too: created_by, merged_by.
ROLES = frozenset(
    "assignee assigner requester requestor reviewer author owner creator reporter approver manager "
    "member recipient sender invitee inviter collaborator maintainer participant attendee follower "
    "lead actor submitter committer commenter contributor operator responder organizer host guest "
    "watcher subscriber delegate supervisor editor uploader caller handler curator prescriber "
    "dispatcher inspector examiner auditor mentor trainer coach tutor advisor adviser planner "
    "buyer seller purchaser payer payee borrower lender signer signatory presenter speaker "
    "translator moderator recruiter interviewer interviewee referrer beneficiary deputy "
    "substitute attendant resolver closer opener verifier validator chair".split()
)
# What a person may be to a service, the likeliest first.
PEOPLE = tuple(
    "user member person people employee staff contact agent account customer client "
    "subscriber guest driver doctor nurse teacher instructor lecturer technician worker volunteer "
    "student patient tenant resident passenger applicant candidate player artist".split()
)
# The role of a place in which a tool looks: what it finds there is something else.
INSIDE = "inside"
# Free text that a person or the agent writes; no tool makes it for another.
CONTENT = frozenset(
    "subject title body text message description comment content note summary markdown html blocks "
    "attachments reason purpose topic caption headline greeting signature footer bio about memo "
    "label annotation instructions prompt question answer reply statement_descriptor".split()
)
_SPELLED_KEY = (
    r"(?:unique\s+)?"
    r"(?:ids?|identifiers?|names?|numbers?|keys?|slugs?|sha1?s?|hash(?:es)?|handles?|logins?|uuids?"
    r"|timestamps?)"
)
# Not "number of", which counts things.
_OF_THE = re.compile(rf"\b(?!number){_SPELLED_KEY}\s+(?:of|for)\s+(.{{3,60}})", re.I)
_OR = re.compile(rf"^(?:the\s+|an?\s+)?{_SPELLED_KEY}\s+or\s+(?:the\s+|an?\s+)?([a-z]+)", re.I)
# No word begins inside another, so that a long text is read once.
_NOUN_ID = re.compile(
    rf"(?<![A-Za-z])((?:[A-Za-z]{{1,40}}[\s_-]{{1,4}}){{1,3}}){_SPELLED_KEY}\b", re.I
)
_ARTICLES = frozenset(
    "the a an this that these those each all any one or more your its encoded existing specific "
    "given new particular".split()
)
# Whatever its description speaks of, a field whose name ends so is no key.
_NO_KEYS = frozenset(
    "time date day month year hour minute second start end at on amount total count quantity size "
    "value price currency type status state kind level limit format order sort enabled mode color "
    "icon url uri link version page position width height since until before after prefix "
    "suffix".split()
)
# What is said of these is no thing: a `url_template` is a template of URLs.
_NO_ROLES = frozenset("url uri link prefix suffix format".split())
# What people write out; as things they have a key.
_VALUES = frozenset(("email", "phone"))
_PHRASE_ENDS = frozenset(
    "that which whose who where when to for in on of is are was being be you this these if will "
    "with from by as at and or used using associated must should can".split()
)
_WHEN = re.compile(r"\b(?:time|timestamp|date|datetime)\b", re.I)  # redeem_by is no person
_DONE = re.compile(r"(?:ed|en|wn|made|sent|built|run|paid|sold|held)$")  # not group_by, sort_by
_WORD = re.compile(r"[A-Za-z]+")
_POSSESSIVE = re.compile(r"(?<=[a-z])['’]s\b")


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
        own_keys: keys under names of their own: an `account_id` that users have instead of an id.
    """

    def __init__(
        self,
        known: Iterable[str],
        keys: Mapping[str, frozenset[str]] | None = None,
        same: Mapping[str, str] | None = None,
        own_keys: Mapping[str, str] | None = None,
    ) -> None:
        self._same = same or {}
        self._own_keys = own_keys or {}
        self._known = {name: tuple(name.split("_")) for name in known if name}
        self._endings: dict[str, set[str]] = defaultdict(set)  # by `_view` and `_card_view`
        for name in self._known:
            for at in (at for at, sign in enumerate(name) if sign == "_"):
                self._endings[name[at:]].add(self._same.get(name, name))
        self._keys = keys or {}
        # Paths leave out the gaps between words: /configmaps are config maps.
        self._squashed: dict[str, str] = {}
        for name in sorted(self._known):
            self._squashed.setdefault(name.replace("_", ""), name)
        self._people = self.exact([next((name for name in PEOPLE if name in self._known), "")])
        self._people = self._people or self._called_people()

    def _called_people(self) -> str:
        """The only resource whose name ends as those of people do: a `staff_member`."""
        found = {self._same.get(n, n) for n in self._known if n.rpartition("_")[2] in PEOPLE[:5]}
        return found.pop() if len(found) == 1 else ""

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def exact(self, parts: Iterable[str]) -> str:
        """The resource of exactly these words, or ""."""
        name = "_".join(parts)
        if name not in self._known:
            name = self._squashed.get(name.replace("_", ""), "")
        return self._same.get(name, name)

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

    def has_key(self, resource: str, keys: frozenset[str]) -> bool:
        """Whether one of these keys is the resource's, so that it can be found by it."""
        owned = self._keys.get(resource)
        if not owned or not resource:
            return bool(resource)
        # Where there is an id, a name alone may be that of something else.
        return bool(owned & (keys - WEAK_KEYS if "id" in owned else keys))

    def fold(self, name: str) -> str:
        """A schema's name as a resource: itself, or its ending that is one."""
        found, _ = self.ending(name.split("_"))
        return found or self.trimmed(name)

    def trimmed(self, name: str) -> str:
        """The resource that a name has words behind: `issue_search_result_item` is an issue."""
        parts, found = name.split("_"), ""
        while not found and len(parts) > 1 and parts[-1] in _BEHIND:
            parts = parts[:-1]
            found = self.exact(parts)
        return found

    def longer(self, base: Sequence[str], near: str, *, keyed: bool) -> str:
        """The resource whose name ends in these words: a `column_id` beside project columns.

        Where several do, or where no key says that a thing is meant, the one that begins as `near`.
        """
        if len(base) == 1 and base[0] in _BEHIND:
            return ""  # every API has objects and resources; an `api_resource` is not meant by it
        ending = "_" + "_".join(base)
        found = set(self._endings.get(ending, ()))
        if keyed and len(found) == 1:
            return found.pop()
        beside = {name for name in found if near and name.split("_")[0] == near.split("_")[0]}
        return beside.pop() if len(beside) == 1 else ""

    def identify(
        self, name: str, description: str = "", kind: str = "string", near: str = ""
    ) -> Identity | None:
        """What a field identifies by its name, else by its description.

        Args:
            name: of the field.
            description: of it.
            kind: its type.
            near: the resource that its tool acts on, which says which of several is meant.
        """
        if kind in ("boolean", "object", "number") or is_control(name):
            return None
        base, key = split_key(folded(name))
        if is_content(name):
            return None
        if not base:
            return self.described(description, "", near) if key != "name" else None
        if found := self._named(base, key) or self._owned(base, key):
            return found
        by = len(base) > 1 and base[-1] == "by" and bool(_DONE.search(base[-2]))
        if by and _WHEN.search(description[:200]):
            return None
        if self._people and (base[-1] in ROLES or by) and self._finds(self._people, key):
            return Identity(self._people, "_".join(base))
        if found := self.described(description, "_".join(base), near):
            # The name of a person who has an id tells of it, and does not find it.
            return found if self._finds(found.resource, key) else None
        spelled = [*base[:-1], singular(base[-1])]
        resource = self.longer(spelled, near, keyed=bool(key) and key not in WEAK_KEYS)
        return Identity(resource) if resource else None

    def _named(self, base: list[str], key: str) -> Identity | None:
        base = [*base[:-1], singular(base[-1])]
        resource, before = self.ending(base)
        if not resource or (before and not key and (before > 1 or base[0] in _NO_ROLES)):
            return None
        if not key and base[-1] in _VALUES:
            return None
        owned = self._keys.get(resource)
        if not self._finds(resource, key):
            return None
        if not key and owned is not None and not owned:  # nothing refers to what has no key
            return None
        return Identity(resource, "_".join(base[:before]))

    def _owned(self, base: list[str], key: str) -> Identity | None:
        """What has a key of this name: the `lead_account_id` of a project is a user's."""
        parts = [*base, key] if key else base
        for start in range(len(base)):
            if resource := self._own_keys.get("_".join(parts[start:])):
                role = "_".join(base[:start])
                return Identity(resource, "" if role == resource else role)
        return None

    def is_own_key(self, name: str) -> bool:
        """Whether things are found by what is called so, though it ends in no key: an `isbn`."""
        return "_".join(folded(name)) in self._own_keys

    def _finds(self, resource: str, key: str) -> bool:
        """Whether things of this kind are found by this key, as far as is known."""
        owned = self._keys.get(resource)
        return key not in WEAK_KEYS or not owned or key in owned

    def described(self, description: str, role: str, near: str = "") -> Identity | None:
        """`ID of the customer`, `The customer's ID`: what a description says it is."""
        text, resource = description[:300], ""
        if role.rpartition("_")[2] in _NO_KEYS:
            return None
        if found := _OF_THE.search(text):
            said = [word.lower() for word in _WORD.findall(_POSSESSIVE.sub("", found[1]))]
            while said and said[0] in _ARTICLES:
                said = said[1:]
            resource = self._of_phrase(list(takewhile(lambda w: w not in _PHRASE_ENDS, said)), near)
        if not resource and (found := _OR.search(text)):  # "SHA or branch to start from"
            resource = self.exact([singular(found[1].lower())])
        if not resource and (found := _NOUN_ID.search(text[:120])):
            resource = self._of_phrase([w for w in words(found[1]) if w not in _ARTICLES], near)
        own = f"_{resource}".endswith(f"_{role}")  # the category of a project is no role of one
        return Identity(resource, "" if own else role) if resource else None

    def _of_phrase(self, said: list[str], near: str) -> str:
        """The resource that a phrase names: "connected account", "tree object"."""
        parts = [*said[:-1], singular(said[-1])] if said else []
        while len(parts) > 1 and parts[-1] in _BEHIND:
            parts = parts[:-1]
        for end in range(min(4, len(parts)), 0, -1):
            head = [*parts[: end - 1], singular(parts[end - 1])]
            found, _ = self.ending(head)
            if found := found or self.longer(head[-2:], near, keyed=len(head) > 1):
                return found
        return self.longer(parts[-1:], near, keyed=False) if parts else ""


def split_key(parts: list[str]) -> tuple[list[str], str]:
    """The words of a name before its key, and the key: `account_id_or_slug`, `role_ref.name`."""
    key = parts[-1] if parts and parts[-1] in KEYS else ""
    base = parts[:-1] if key else parts
    while len(base) > 1 and key and (base[-1] in KEYS or base[-1] in ("or", "reference")):
        base = base[:-1]
    return base, key


def is_content(name: str) -> bool:
    """Whether a field holds text that a person writes."""
    parts = folded(name)
    return bool(parts) and (parts[-1] in CONTENT or "_".join(parts) in CONTENT)
