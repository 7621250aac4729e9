"""The resources of an OpenAPI document: what its paths, schemas and parameters are about.

An item path is what its GET answers: `/pods/{name}` answers a Pod, so `{name}` below it identifies
a pod, under any spelling. Where there is no such GET, the collection's list says it, then the
parameter's own noun, then the segment before it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from spm.registry.catalog.fields import folded, is_control, is_generic
from spm.registry.importers.json_schema import Schemas, Shape
from spm.registry.importers.nouns import fold, noun, singular
from spm.registry.importers.openapi_operations import own_name
from spm.registry.map.resources import (
    KEYS,
    ROLES,
    WEAK_KEYS,
    Given,
    Identity,
    Nouns,
    Reading,
    Verb,
    split_key,
)
from spm.registry.map.verbs import READING, infinitive, kind_of
from spm.registry.traces.redaction import ENVELOPES

_PARAMETER = re.compile(r"\{([^{}]*)\}")
_WHOLE = re.compile(r"\bJSON\b", re.I)  # of descriptions: the thing itself, not its id
_VERSION = re.compile(r"v?[0-9][\w.]*|api|apis|rest|admin|")
_MAKING = frozenset("create add new register upload insert post make import".split())
# Verbs that stand behind their family: `firewalls_add_tags`. Others would be nouns there.
_SECOND_VERBS = frozenset(
    "get list create update delete add remove search find set assign unassign replace patch".split()
)
_SECOND = 4  # words of a name among which they stand
_LISTS = frozenset(
    "items data results values entries records list nodes edges rows page item result value entry "
    "record node edge row resources resource objects object".split()
)
# Wrappers of what is answered, not things: `ok`, paging, links.
_DEPTH = 3
_MOST = 40  # references that are kept of one answer
_WRITES = frozenset(("create", "update"))
# Parameters of a path that word what is looked for; they are no keys.
_ASKED = frozenset("query q search term keyword text".split())
_IDS = frozenset("id uuid guid uid".split())  # keys that find a thing wherever it is
_PLAIN = 3  # plain properties that make a named object a thing, though it has no key


class Operation(Protocol):
    """What is read of an operation."""

    name: str
    method: str
    path: str
    operation: dict[str, Any]


@dataclass(frozen=True)
class Input:
    """An input of an operation, with the names that lead to it in the body."""

    name: str
    path: tuple[str, ...]
    place: str
    kind: str
    description: str
    schema: object = None


@dataclass(frozen=True)
class _Reference:
    """A thing inside another: what its schema is called, and the property that holds it."""

    noun: str  # "" where its schema has no name
    role: str
    many: bool
    keys: frozenset[str] | None  # None: an id that can be expanded to the thing


@dataclass
class _Answer:
    """What a response holds."""

    unnamed: str = ""  # the noun of an object whose schema has no name: its path's
    nouns: list[tuple[str, bool]] = field(default_factory=list)  # the things themselves, and many
    references: list[_Reference] = field(default_factory=list)
    scalars: list[tuple[str, str, str]] = field(default_factory=list)  # name, description, kind
    plain: list[tuple[str, str, str, bool]] = field(default_factory=list)  # beside the things
    properties: set[str] = field(default_factory=set)  # of the things
    listed: bool = False  # the answer is a list itself
    keys: dict[str, set[str]] = field(default_factory=dict)  # by thing
    named_keys: dict[str, str] = field(default_factory=dict)  # by thing without a plain id
    wrapped: list[tuple[str, str]] = field(default_factory=list)  # a wrapper's key, and its noun


def template(path: str) -> str:
    """A path without the names of its parameters: `/pods/{name}` is `/pods/{}`."""
    return _PARAMETER.sub("{}", path.rstrip("/"))


class ResourceReader:
    """Reads the resources of one document.

    Args:
        schemas: the document's schemas.
        operations: its operations.
        responses: the schema of each operation's answer, by name; None where there is none.
    """

    def __init__(
        self,
        schemas: Schemas,
        operations: Sequence[Operation],
        responses: Mapping[str, object],
    ) -> None:
        self._schemas = schemas
        self._operations = operations
        self._responses = responses
        self._answers: dict[tuple[int, str], _Answer] = {}
        self._acts: dict[str, tuple[Verb, str]] = {}
        self._by_place = {(o.method, template(o.path)): o for o in operations}

    def read(self, operation: Operation, inputs: Sequence[Input]) -> Reading:
        """What one operation does, to which resource, with which inputs and which answer."""
        verb, resource = self._act(operation)
        takes = {}
        for given in inputs:
            found = self._identity(operation, given)
            if found is not None:
                takes[given.name] = found
        gives = self._gives(operation, verb, resource)
        collection = template(operation.path) + "/{}" in self._items
        if verb == "create" and not collection and all(g.resource != resource for g in gives):
            # A message that is scheduled below /chat: what it gives and does not take is made.
            taken = {identity.resource for identity in takes.values()}
            made = {g.resource for g in gives if not (g.role or g.many)} - taken
            resource = made.pop() if len(made) == 1 else resource
        return Reading(verb, resource, takes, gives)

    # -- nouns --------------------------------------------------------------------------------

    @cached_property
    def nouns(self) -> Nouns:
        """All resources of the document."""
        aliases = self._aliases()
        items = {name for name in self._items.values() if name} | self._things() | {*aliases}
        keys: dict[str, set[str]] = {}
        for operation in self._operations:
            for thing, own in self._answer(operation).keys.items():
                keys.setdefault(self._folded(thing), set()).update(own)
        by_path = self._path_keys()
        owned = {
            # What has an id is found by it; by name or number only where a path does so.
            name: frozenset(own - (WEAK_KEYS - by_path.get(name, set())) if "id" in own else own)
            for name, own in keys.items()
        }
        return Nouns(items, owned, aliases, self._own_keys(Nouns(items, owned, aliases)))

    def _own_keys(self, nouns: Nouns) -> dict[str, str]:
        """Keys under names of their own: the `account_id` of users who have no plain id."""
        seen: dict[str, Counter[str]] = {}
        for operation in self._operations:
            for thing, name in self._answer(operation).named_keys.items():
                if not nouns.identify(name):
                    seen.setdefault(name, Counter())[nouns.fold(thing)] += 1
        for name, item in set(self._found_by()):
            if not nouns.identify(name):
                seen.setdefault(name, Counter())[item] += 1
        best = {name: things.most_common(1)[0] for name, things in seen.items()}
        return {
            name: thing for name, (thing, times) in best.items() if 2 * times > seen[name].total()
        }

    def _found_by(self) -> Iterator[tuple[str, str]]:
        """The properties by which paths find things, if they say so themselves: /books/{isbn}."""
        for operation in self._operations:
            parts = operation.path.rstrip("/").split("/")
            for at, part in enumerate(parts):
                names = [fold(name) for name in _PARAMETER.findall(part)]
                key = template("/".join(parts[: at + 1]))
                item = self._items.get(key, "")
                alone = len(names) == 1 and not any("{" in n for n in parts[at + 1 : at + 2])
                if item and alone and not is_generic(names[0]):
                    places = (("get", key), ("get", key.removesuffix("/{}")))
                    there = [o for place in places if (o := self._by_place.get(place))]
                    if any(names[0] in self._answer(o).properties for o in there):
                        yield names[0], item

    def _path_keys(self) -> dict[str, set[str]]:
        """The keys by which the paths of things find them: /pods/{name}."""
        found: dict[str, set[str]] = {}
        for operation in self._operations:
            parts = operation.path.rstrip("/").split("/")
            for at, part in enumerate(parts):
                for name in _PARAMETER.findall(part):
                    thing = self._items.get(template("/".join(parts[: at + 1])), "")
                    found.setdefault(thing, set()).update(folded(name)[-1:])
        return found

    def _aliases(self) -> dict[str, str]:
        """Other names of things: a wrapper's key, or what only some answers call them."""
        items = {name for name in self._items.values() if name}
        seen: dict[str, Counter[str]] = {}
        called: dict[str, set[str]] = {}
        for path, item in self._items.items():
            called.setdefault(self._segment(path.removesuffix("/{}")), set()).add(item)
            for name in self._names_at(path, item) if item else ():
                seen.setdefault(name, Counter())[item] += 1
        for operation in self._operations:
            for name in self._names_beside(operation, items):
                seen.setdefault(name, Counter())[singular(name.rpartition("_")[2])] += 1
        for segment, things in called.items():
            # A path that has only one kind of branches may call a repository's so.
            plain = segment and not is_generic(segment) and segment not in ROLES
            if plain and len(things) == 1 and (thing := min(things)).endswith(f"_{segment}"):
                seen.setdefault(segment, Counter())[thing] += 1
        keyed = {thing for o in self._operations for thing in self._answer(o).keys}
        for operation in self._operations:
            answer = self._answer(operation)
            for role, thing in answer.wrapped:
                if role in keyed and thing.endswith(f"_{role}"):
                    seen.setdefault(thing, Counter())[role] += 1  # users: [a user of a picker]
                elif answer.keys.get(thing):  # what only wraps users itself is none of them
                    seen.setdefault(role, Counter())[thing] += 1
        return {
            role: thing
            for role, things in seen.items()
            if role not in items and (thing := things.most_common(1)[0][0]) != role
        }

    def _names_at(self, path: str, item: str) -> Iterator[str]:
        """What an item is called where it is listed, made and got: an `issue_bean` is an issue."""
        collection = path.removesuffix("/{}")
        for method, place in (("get", collection), ("post", collection), ("get", path)):
            operation = self._by_place.get((method, place))
            for name, many in self._answer(operation).nouns if operation else ():
                listed = (place, method) == (collection, "get")
                if many == listed and (
                    name.startswith(f"{item}_") or (not listed and name.endswith(f"_{item}"))
                ):
                    yield name

    def _names_beside(self, operation: Operation, items: set[str]) -> Iterator[str]:
        """What is listed below the path of things and called after them: /statuses/search."""
        parts = operation.path.split("/") if operation.method == "get" else []
        above = {singular(fold(part)) for part in parts[:-1] if "{" not in part}
        for name, many in self._answer(operation).nouns if above else ():
            head, _, last = name.rpartition("_")
            if many and head and last in above and last in items and name not in items:
                yield name

    def _things(self) -> set[str]:
        """Things that answers hold, that inputs refer to, and that procedures are called after."""
        found = {name for o in self._operations for name, _ in self._answer(o).nouns}
        for operation in self._operations:
            found.update(_procedure(operation.path)[:-1])
        items = self._item_nouns
        things = {singular(name) for name in found if name not in _LISTS}
        # A delivery as an item of a list is a delivery.
        return {name for name in things if name in items or not items.trimmed(name)}

    @cached_property
    def _items(self) -> dict[str, str]:
        """The resource of every path that ends in a parameter."""
        prefixes: dict[str, str] = {}
        for operation in self._operations:
            parts = operation.path.rstrip("/").split("/")
            for at, part in enumerate(parts):
                if _PARAMETER.search(part) and not _asks(part):
                    prefix = "/".join(parts[: at + 1])
                    prefixes.setdefault(template(prefix), prefix)
        found = {key: self._answered(key) for key in prefixes}
        known = {name for name in found.values() if name}
        for key, prefix in prefixes.items():
            if not found[key]:
                found[key] = self._by_name(prefix, known)
        return found

    def _answered(self, key: str) -> str:
        """What the GET of an item path answers, or the list of its collection."""
        collection = key.rpartition("/")[0]
        for method, place in (("get", key), ("patch", key), ("put", key), ("get", collection),
                              ("post", collection)):  # fmt: skip
            operation = self._by_place.get((method, place))
            if operation is None or (place == collection and collection.endswith("{}")):
                continue
            nouns = self._answer(operation).nouns
            segment = self._segment(collection)
            # Some documents show a collection by one of its things.
            shown = place == collection and _plural(collection)
            listed = [
                name
                for name, many in nouns
                if many or place == key or (shown and segment and name.endswith(segment))
            ]
            for name in listed:
                if segment and name.startswith(f"{segment}_"):  # a branch with protection
                    return name if self._lists(collection, name) else segment
                # Who puts somebody among the collaborators may answer with an invitation.
                only = len(listed) == 1 and method not in ("put", "patch")
                if (segment and name.endswith(segment)) or only:
                    return name
        return ""

    def _lists(self, collection: str, name: str) -> bool:
        """Whether a collection lists things of this name."""
        operation = self._by_place.get(("get", collection))
        return operation is not None and (name, True) in self._answer(operation).nouns

    def _by_name(self, prefix: str, known: set[str]) -> str:
        parts = prefix.split("/")
        names = _PARAMETER.findall(parts[-1])
        base, _ = split_key(folded(names[-1]) if names else [])
        segment = self._segment("/".join(parts[:-1]))
        nouns = Nouns(known)
        for candidate in ("_".join(base), segment):
            if candidate and (found := nouns.fold(candidate)):
                return found
        return next((c for c in ("_".join(base), segment) if c and not is_generic(c)), "")

    def _segment(self, path: str) -> str:
        """The last word of a path that names something, in the singular."""
        if called := _procedure(path):
            return singular(fold(called[-2]))
        for part in reversed(path.split("/")):
            if _PARAMETER.search(part):
                return ""
            if not _VERSION.fullmatch(part.lower()):
                return singular(fold(part.rpartition(".")[2]))
        return ""

    def _folded(self, name: str) -> str:
        """A schema's noun as the resource that it stands for."""
        return self._item_nouns.fold(name) or name

    @cached_property
    def _item_nouns(self) -> Nouns:
        """The resources of item paths alone."""
        return Nouns(value for value in self._items.values() if value)

    # -- what an operation does ---------------------------------------------------------------

    def _act(self, operation: Operation) -> tuple[Verb, str]:
        if operation.name not in self._acts:
            self._acts[operation.name] = self._read_act(operation)
        return self._acts[operation.name]

    def _read_act(self, operation: Operation) -> tuple[Verb, str]:
        key, method = template(operation.path), operation.method
        said = self._verb(operation)
        answer = self._answer(operation)
        if key.endswith("{}") and _asks(operation.path.rpartition("/")[2]):
            return "search", self._resource(answer.nouns[0][0]) if answer.nouns else ""
        if key.endswith("{}"):
            resource = self._items[key]
            usual: dict[str, Verb] = {"get": "get", "head": "get", "delete": "delete"}
            verb = usual.get(method, "update")
            return verb if said in (None, "list", "search", "get") else said, resource
        many = [name for name, several in answer.nouns if several]
        parent = self._parent(key)
        if method in ("get", "head"):
            # `/rooms/new` prepares a room; only a procedure makes one when it is read.
            makes = said == "create" and _procedure(operation.path)
            if said in ("update", "delete") or (said and makes):
                return said, self._about(operation, parent)
            # `GetInvoices` says no more than its method; `get-…` of one thing answers with that.
            collection = key + "/{}" in self._items or _plural(key)
            collection |= bool(many) and self._in_plural(operation, many[0])
            if many and (answer.listed or said != "get" or collection):
                return ("search" if said == "search" else "list"), self._resource(many[0])
            named = answer.nouns[0][0] if answer.nouns else self._segment(key)
            # A collection is a list, though its document may show one of its things.
            listed = said in ("list", "search") or (key + "/{}" in self._items and _plural(key))
            verb = "search" if said == "search" else "list" if listed else "get"
            return verb, self._resource(named)
        if method == "delete":  # but to unlock something is no way to delete it
            return (said if said in ("update", "act") else "delete"), self._about(operation, parent)
        collection = key + "/{}" in self._items
        if said in ("list", "search", "get") and method == "post":
            return said, self._resource(answer.nouns[0][0]) if answer.nouns else parent
        if method in ("put", "patch"):
            return (said if said in ("delete", "act") else "update"), self._about(operation, parent)
        single = [name for name, several in answer.nouns if not several]
        if collection and said not in ("delete", "update"):
            return "create", self._made_in(key)
        if said in ("delete", "update", "act"):
            return said, self._about(operation, parent)
        # What is posted to /sessions, and answered with, is a session.
        into = method == "post" and said is None and bool(single) and _plural(key)
        if said == "create" or into or (single and self._segment(key) in (single[0], "")):
            return "create", self._resource(single[0]) if single else self._about(operation, parent)
        return "act", self._about(operation, parent)

    @staticmethod
    def _in_plural(operation: Operation, thing: str) -> bool:
        """Whether a name speaks of several of a thing: `bulkGetGroups`."""
        last = thing.rpartition("_")[2]
        named = [] if _procedure(operation.path) else fold(operation.name).split("_")
        return any(word != last and singular(word) == last for word in named)

    def _made_in(self, collection: str) -> str:
        """What is made in a collection: a registration of a student makes no student.

        Students are made where they have a collection of their own.
        """
        item, segment = self._items[collection + "/{}"], self._segment(collection)
        own = any(
            thing == item and self._segment(place.removesuffix("/{}")) == item
            for place, thing in self._items.items()
        )
        return self._resource(segment) if own and segment not in ("", item) else item

    def _verb(self, operation: Operation) -> Verb | None:
        """The verb that the operation's name or the path's last word says."""
        if called := _procedure(operation.path):
            verbs = [fold(called[-1]).split("_")[0]]
        else:
            own = own_name(operation.name, operation.method, operation.path)
            named = fold(own.rpartition("/")[2].rpartition(".")[2]).split("_")
            # `PostTransfersTransfer` says no more than its method: it makes nothing.
            mere = named[0] == operation.method and named[0] in ("post", "put")
            second = [word for word in named[1:_SECOND] if word in _SECOND_VERBS]
            verbs = [*([] if mere else named[:1]), *second[:1], *self._tail(operation)]
        # `issues`, `reserved` and `billing` are of things, though people also issue and bill them.
        said = [kind for word in verbs if (kind := kind_of(word)) and not _inflected(word)]
        if said and (said[0] != "get" or "search" not in said):
            return said[0]
        return "search" if "search" in fold(operation.path).split("_") else None

    def _tail(self, operation: Operation) -> list[str]:
        """The word of a path's end that may say what is done; what is got or deleted is a thing."""
        key = template(operation.path)
        tail = operation.path.rstrip("/").rpartition("/")[2]
        first = fold(tail).split("_")[0]
        thing = operation.method in ("get", "delete") and kind_of(first) not in READING
        thing |= key + "/{}" in self._items and _plural(key)  # /merge_requests has merge requests
        return [] if thing or tail.startswith("{") else [first]

    def _parent(self, key: str) -> str:
        """The resource of the last item before the end of a path."""
        while key and not key.endswith("{}"):
            key = key.rpartition("/")[0]
        return self._items.get(key, "")

    def _about(self, operation: Operation, parent: str) -> str:
        answer = self._answer(operation)
        segment = self._segment(template(operation.path))
        if segment and (found := self.nouns.exact([segment])):
            return found
        if listed := self._by_place.get(("get", template(operation.path))):
            for name, many in self._answer(listed).nouns:
                if many and segment and name.endswith(f"_{segment}"):
                    return self._resource(name)
        single = [name for name, many in answer.nouns if not many]
        if single and (found := self.nouns.fold(single[0])):
            return found
        named = fold(operation.name).split("_")
        if not parent and (not segment or is_generic(segment) or _procedure(operation.path)):
            for part in named:
                if singular(part) in self.nouns:
                    return singular(part)
        return parent or segment

    def _resource(self, name: str) -> str:
        return self.nouns.fold(name) or name

    # -- what an answer holds -----------------------------------------------------------------

    def _answer(self, operation: Operation) -> _Answer:
        schema = self._responses[operation.name]
        key = template(operation.path)
        unnamed = self._segment(key.removesuffix("/{}"))  # what an object without a name is
        if (id(schema), unnamed) not in self._answers:
            answer = _Answer(unnamed=unnamed)
            if schema is not None:
                shape = self._schemas.shape(schema)
                shape = shape if shape.noun else replace(shape, noun=self._either(shape))
                self._collect(shape, answer, many=False, depth=0)
            self._answers[id(schema), unnamed] = answer
        return self._answers[id(schema), unnamed]

    def _either(self, shape: Shape) -> str:
        """The noun that those of all alternatives end in: a reader, or a deleted reader."""
        shortest = min(shape.kinds, key=len, default="")
        same = all(f"_{name}".endswith(f"_{shortest}") for name in shape.kinds)
        return shortest if same else ""

    def _add(self, answer: _Answer, thing: str, shape: Shape, *, many: bool) -> None:
        """Keep a thing of an answer; entries that are files or folders are files, and folders."""
        answer.nouns.append((thing, many))
        answer.keys[thing] = self._keys(shape)
        answer.properties |= {fold(str(name)) for name in shape.properties}
        if named := self._named_key(shape):
            answer.named_keys[thing] = named
        answer.nouns += [(kind, many) for kind in shape.kinds if many and kind != thing]

    def _collect(self, shape: Shape, answer: _Answer, *, many: bool, depth: int) -> None:
        """The things themselves: of a root, of the items of a list, or inside an envelope."""
        if shape.items is not None and not shape.properties:
            inner = self._schemas.items(shape)
            answer.listed |= depth == 0
            self._collect(inner, answer, many=True, depth=depth)
            return
        envelope = not self._is_thing(shape) and not (many and shape.noun)
        if depth < 2 and envelope and (depth == 0 or not shape.noun):
            for name, inner, several in self._objects(shape):
                if is_control(name):  # paging, links, errors
                    continue
                role = singular(fold(name))
                wraps = role in _LISTS or fold(name) in ENVELOPES
                thing = inner.noun or (answer.unnamed if wraps else role)
                if wraps and not inner.noun:
                    self._collect(inner, answer, many=several, depth=depth + 1)
                elif inner.noun and not several and role.rpartition("_")[2] in ROLES:
                    keys = frozenset(self._keys(inner))
                    answer.references.append(_Reference(inner.noun, role, many, keys))
                elif thing and (_has_key(inner) or inner.noun):
                    self._add(answer, thing, inner, many=several or many)
                    if role != thing and role not in _LISTS:
                        answer.nouns.append((role, several or many))
                        answer.wrapped.append((role, thing))
                    self._refer(inner, answer, 1)
            self._plain(shape, answer)
            return
        if thing := shape.noun or (answer.unnamed if _has_key(shape) else ""):
            self._add(answer, thing, shape, many=many)
        self._refer(shape, answer, 1)

    def _is_thing(self, shape: Shape) -> bool:
        """Whether an object is something of its own, and not what wraps it."""
        if _has_key(shape) or self._has_own_key(shape):
            return True
        plain = [name for name, _, _, _ in self._scalars(shape) if not is_control(name)]
        if len(plain) < _PLAIN:
            return False
        named = any(shape.noun.endswith(segment) for segment in self._segments)
        return named and not any(
            several and inner.noun for _, inner, several in self._objects(shape)
        )

    def _has_own_key(self, shape: Shape) -> bool:
        """Whether an object that paths are called after has a key: the `code` of a ticket."""
        noun_of = shape.noun
        if not noun_of or noun_of not in self._segments:
            return False
        names = {fold(str(name)) for name in shape.properties}
        called = (noun_of, noun_of.rpartition("_")[2])
        return bool(
            names & (KEYS | self._parameters | {f"{name}_{key}" for name in called for key in KEYS})
        )

    @cached_property
    def _parameters(self) -> set[str]:
        """The names of all that paths find things by, but for those that say nothing alone."""
        found = {fold(n) for o in self._operations for n in _PARAMETER.findall(o.path)}
        return {name for name in found if not is_generic(name)}

    @cached_property
    def _segments(self) -> set[str]:
        """The words of all paths that name something."""
        found = {part for o in self._operations for part in o.path.split("/") if "{" not in part}
        return {singular(fold(part)) for part in found if not _VERSION.fullmatch(part.lower())}

    def _keys(self, shape: Shape) -> set[str]:
        """The properties of a thing by which others may refer to it."""
        inner = self._schemas.shape(shape.properties.get("metadata")).properties
        return {fold(str(name)) for name in (*shape.properties, *inner)} & KEYS

    def _named_key(self, shape: Shape) -> str:
        """The only id of a thing, if it has one under a name of its own."""
        names = [fold(name) for name, _, _, many in self._scalars(shape) if not many]
        ids = [name for name in names if split_key(folded(name))[1] in _IDS]
        return ids[0] if len(ids) == 1 and split_key(folded(ids[0]))[0] else ""

    def _objects(self, shape: Shape) -> Iterator[tuple[str, Shape, bool]]:
        for name, sub in shape.properties.items():
            direct = self._schemas.shape(sub)
            inner = self._schemas.items(direct)
            if inner.properties:
                yield str(name), inner, direct.items is not None and not direct.properties

    def _scalars(self, shape: Shape) -> Iterator[tuple[str, str, str, bool]]:
        """Name, description, type of the plain properties, and whether there are several."""
        for name, sub in shape.properties.items():
            inner = self._schemas.shape(sub)
            flat = self._schemas.items(inner)
            if not flat.properties and isinstance(name, str):
                named = noun(_reference(sub))
                key = fold(named).rpartition("_")[2]
                spelled = named if named and key in KEYS else name
                if spelled == named and fold(name).rpartition("_")[2] in ROLES:
                    spelled = f"{name}_{key}"  # the editor of a file is no user of its own
                kind = flat.kind or "string"
                yield spelled, inner.description, kind, inner.items is not None

    def _plain(self, shape: Shape, answer: _Answer) -> None:
        """Ids that an envelope holds itself: they are the answer, not references in it."""
        answer.plain += self._scalars(shape)

    def _refer(self, shape: Shape, answer: _Answer, depth: int, prefix: str = "") -> None:
        """References to other things inside a thing."""
        if depth > _DEPTH or len(answer.references) > _MOST:
            return
        if depth == 1:
            answer.scalars += [scalar[:3] for scalar in self._scalars(shape)]
        for name, sub in shape.properties.items():
            if not isinstance(name, str):
                continue
            direct = self._schemas.shape(sub)
            inner = self._schemas.items(direct)
            several = direct.items is not None
            role = singular(fold(name))
            choices = _said(role, self._alternatives(sub))
            if not choices and inner.properties:
                keys = frozenset(self._keys(inner))
                answer.references.append(_Reference(inner.noun, role, several, keys))
            for thing in choices:
                answer.references.append(_Reference(thing, role, several, None))
            # What an id can be expanded to is not in the answer.
            if inner.properties and depth < _DEPTH and not inner.noun and not choices:
                self._refer(inner, answer, depth + 1, role)

    def _alternatives(self, schema: object) -> list[str]:
        """The nouns of what an id can be expanded to."""
        if not isinstance(schema, dict):
            return []
        items = schema.get("items")
        found: list[str] = []
        for part in (schema, items if isinstance(items, dict) else {}):
            for word in ("anyOf", "oneOf"):
                shapes = [
                    self._schemas.items(self._schemas.shape(choice))
                    for choice in part.get(word) or ()
                ]
                # One object, or nothing, is that object; nothing is expanded.
                if sum(shape.kind != "null" for shape in shapes) > 1:
                    found += [s.noun for s in shapes if s.properties and s.noun]
        return found[:3]

    def _referred(self, reference: _Reference) -> str:
        """The resource that a reference stands for: an object must have a key of it."""
        if reference.keys is None:
            return self.nouns.fold(reference.noun)
        if not reference.noun:
            named = (
                self.nouns.identify(f"{reference.role}_{key}") for key in sorted(reference.keys)
            )
            return next((found.resource for found in named if found), "")
        known = self.nouns.fold(reference.noun)
        return known if self.nouns.has_key(known, reference.keys) else ""

    def _gives(self, operation: Operation, verb: Verb, resource: str) -> tuple[Given, ...]:
        answer = self._answer(operation)
        found: dict[tuple[str, str], Given] = {}

        def add(given: Given) -> None:
            key = given.resource, given.role
            if key not in found or (given.many and not found[key].many):
                found[key] = given

        wrappers = {role for role, thing in answer.wrapped if self.nouns.fold(thing)}
        for name, many in answer.nouns:
            if name not in wrappers and (known := self.nouns.fold(name)):
                own = answer.keys.get(name)  # who only resembles it may lack its id
                if known != name and own and not self.nouns.has_key(known, frozenset(own)):
                    continue
                add(Given(known, "", many))
        for given in tuple(found.values()):  # a member is found by the id of a user
            if (person := self._persons.get(given.resource)) and not given.role:
                add(Given(person, "", given.many))
        for reference in answer.references:
            if (known := self._referred(reference)) and (known, "") not in found:
                add(Given(known, reference.role, reference.many))
        for name, description, kind, many in answer.plain:
            identity = self._answered_key(name, description, kind)
            if identity and (not identity.role or not answer.nouns):
                add(Given(identity.resource, "", many))
        for name, description, kind in answer.scalars:
            identity = self._answered_key(name, description, kind)
            if identity and (identity.resource, "") not in found:
                add(Given(identity.resource, identity.role or identity.resource, False))
        making = verb in ("list", "search", "get", "create") and resource in self.nouns
        # Who is invited is nobody yet.
        making = making and not (verb == "create" and "invite" in fold(operation.name).split("_"))
        if not found and making and self._tells_nothing(operation):
            add(Given(resource, "", verb in ("list", "search"), "inferred"))
        return tuple(found.values())

    @cached_property
    def _persons(self) -> dict[str, str]:
        """What people are in something, with whose ids find them there: /members/{user_id}."""
        found: dict[str, set[str]] = {}
        for operation in self._operations:
            parts = operation.path.rstrip("/").split("/")
            for at, part in enumerate(parts):
                item = self._items.get(template("/".join(parts[: at + 1])), "")
                if "{" in part and item.rpartition("_")[2] in ROLES:
                    base, key = split_key(folded(_PARAMETER.findall(part)[0]))
                    found.setdefault(item, set()).add(self.nouns.exact(base) if key in _IDS else "")
        return {item: people.pop() for item, people in found.items() if len(people) == 1}

    def _tells_nothing(self, operation: Operation) -> bool:
        """Whether a document leaves open what is answered: no schema, or hardly more than `ok`.

        An answer that is declared and holds no key gives nothing by which a thing can be found. Nor
        does a procedure without a verb tell of the thing itself: `team.billing`.
        """
        if _procedure(operation.path) and self._verb(operation) is None:
            return False
        answer = self._answer(operation)
        properties = [(name, kind) for name, _, kind, _ in answer.plain]
        properties += [(name, kind) for name, _, kind in answer.scalars]
        return all(kind == "boolean" or is_control(name) for name, kind in properties)

    def _answered_key(self, name: str, description: str, kind: str) -> Identity | None:
        """What a plain value of an answer identifies; one without a key must say that it is one.

        `hooks` may hold addresses of hooks, and `gists` a count.
        """
        keyed = split_key(folded(name))[1] or self.nouns.is_own_key(name)
        said = keyed or self.nouns.described(description, "")
        return self.nouns.identify(name, description, kind) if said else None

    # -- what inputs identify -----------------------------------------------------------------

    def _identity(self, operation: Operation, given: Input) -> Identity | None:
        found = self._named(operation, given)
        if found is None or given.place == "path":
            return found
        if self._act(operation) != ("create", found.resource):
            return found
        if given.place == "body" and self._is_put_in(operation, given, found.resource):
            return found
        around = [part for part in given.path[:-1] if fold(part) not in ENVELOPES]
        bare = not around and fold(given.path[-1]) in KEYS
        if bare and not found.role and "{" not in operation.path and not _procedure(operation.path):
            return None  # the key that the new thing shall have
        # The content of what is made: its name, or all of it.
        weak = not WEAK_KEYS.isdisjoint(folded(given.path[-1])[-1:])
        return None if weak or (not found.role and self._new(operation)) else found

    def _is_put_in(self, operation: Operation, given: Input, thing: str) -> bool:
        """Whether something that is there is put into another: a `runner_id` among a project's.

        It is listed or made elsewhere, and its whole name says that it is the thing's id.
        """
        base, key = split_key(folded(given.name))
        if key not in _IDS or self.nouns.exact(base) != thing or len(given.path) > 1:
            return False
        key = template(operation.path)
        return "{}" in key and any(
            place != key + "/{}" and item == thing and place.count("{}") < key.count("{}") + 1
            for place, item in self._items.items()
        )

    def _named(self, operation: Operation, given: Input) -> Identity | None:
        if given.place == "path":
            found = self._in_path(operation.path, given.name)
            asked = fold(given.name) in _ASKED
            return found or (None if asked else self.nouns.described(given.description, ""))
        if given.place in ("header", "cookie") or _enumerated(given.schema):
            return None
        if "metadata" in given.path[:-1] or self._is_whole(operation):  # of the thing itself
            return None
        if not split_key(folded(given.name))[1] and self._is_no_reference(given.schema):
            return None
        reference = noun(_reference(given.schema))
        if reference and (found := self.nouns.identify(reference, "", given.kind)):
            return replace(found, role="" if found.resource in folded(given.name) else found.role)
        near = self._act(operation)[1]
        leaf = fold(given.path[-1])
        if leaf == "name" and len(given.path) == 1 and self._act(operation)[0] in _WRITES:
            return None  # how the thing is to be called
        if leaf in KEYS:
            said = self.nouns.described(given.description, "", near)
            # relationships.site.data.id: what only wraps a thing does not name it.
            owners = [part for part in given.path[:-1] if fold(part) not in ENVELOPES]
            if said or not owners:
                return said or self._own_key(operation, leaf)
            found = self.nouns.identify(f"{owners[-1]}_{leaf}", "", given.kind, near)
            named = found and (found.role or found.resource in fold(singular(owners[-1])))
            return self._in_corner(operation, found) if found and named else None
        if beside := self._beside.get((_collection(operation.path), leaf)):
            return Identity(beside)
        if _WHOLE.search(given.description) and not split_key(folded(given.name))[1]:
            return None
        found = self.nouns.identify(given.name, given.description, given.kind, near)
        if found is None:
            return None
        if found.role and len(given.path) > 1:
            return self.nouns.described(given.description, found.role, near)
        return self._in_corner(operation, found)

    def _is_whole(self, operation: Operation) -> bool:
        """Whether the thing itself is written again to say one side of it: /pods/{name}/status."""
        item = template(operation.path).rpartition("/")[0]
        again = item.endswith("{}") and operation.method in ("put", "patch")
        whole = self._by_place.get(("put", item)) if again else None
        body = _body(operation)
        return whole is not None and body is not None and body == _body(whole)

    def _is_no_reference(self, schema: object) -> bool:
        """Whether a value without a key is no reference: some are usual, or it is written whole."""
        if not isinstance(schema, dict):
            return False
        shape = self._schemas.shape(schema)
        whole = shape.items is not None and bool(self._schemas.items(shape).properties)
        return bool(isinstance(schema.get("default"), list) and schema["default"]) or whole

    @cached_property
    def _beside(self) -> dict[tuple[str, str], str]:
        """What the single things of a collection tell under a key's name: the public key's key_id.

        By collection and property; who takes the same name there means this very value.
        """
        found: dict[tuple[str, str], str] = {}
        for operation in self._operations:
            verb, resource = self._act(operation)
            item = template(operation.path).endswith("{}")
            if operation.method != "get" or verb != "get" or item:
                continue
            parent = template(operation.path).rpartition("/")[0]
            for name, _, _ in self._answer(operation).scalars:
                base, key = split_key(folded(name))
                if base and key and key not in WEAK_KEYS and resource in self.nouns:
                    found.setdefault((parent, fold(name)), resource)
        return found

    def _new(self, operation: Operation) -> bool:
        """Whether an operation makes a thing of its own, and does not add to one that is there."""
        called = _procedure(operation.path)
        if not called:
            return template(operation.path) + "/{}" in self._items
        verb, *rest = fold(called[-1]).split("_")
        return verb in _MAKING and (not rest or singular("_".join(rest)) in self._act(operation))

    def _in_corner(self, operation: Operation, found: Identity) -> Identity:
        """A card below /issuing is the issuing card; a cluster's role binding binds its role."""
        near = self._act(operation)[1].split("_")[0]
        for segment in (*template(operation.path).split("/"), near):
            narrower = f"{fold(segment)}_{found.resource}"
            if segment and narrower in self.nouns:
                return replace(found, resource=narrower)
        return found

    def _own_key(self, operation: Operation, key: str) -> Identity | None:
        """A bare `id` is that of the resource which the operation acts on, unless it makes one."""
        verb, resource = self._act(operation)
        place = template(operation.path)
        listed = None if place.endswith("{}") else self._by_place.get(("get", place))
        if listed and listed is not operation:  # who lists here says what is here
            for name, own in self._answer(listed).keys.items():
                if key in own and (found := self.nouns.fold(name)):
                    return Identity(found)
        named = self._path_things(operation.path)
        if (owner := self.nouns.owner(key)) and owner not in named:
            return Identity(owner)
        makes = verb in ("create", "list", "search")
        if makes or resource not in self.nouns or resource in named:
            return None
        return Identity(resource)

    def _path_things(self, path: str) -> set[str]:
        """The things that the parameters of a path name already."""
        parts = template(path).split("/")
        ends = [at + 1 for at, part in enumerate(parts) if part == "{}"]
        return {self._items.get("/".join(parts[:end]), "") for end in ends}

    def _in_path(self, path: str, name: str) -> Identity | None:
        parts = path.rstrip("/").split("/")
        for at, part in enumerate(parts):
            if f"{{{name}}}" not in part:
                continue
            # Two parameters in a row are one key: the owner of {owner}/{repo} belongs to the repo.
            follows = at + 1 < len(parts) and parts[at + 1].startswith("{")
            end = at + 2 if follows and parts[at + 1].endswith("}") else at + 1
            resource = self._items.get(template("/".join(parts[:end])), "")
            return Identity(resource) if resource else None
        return None


def _said(role: str, choices: list[str]) -> list[str]:
    """Of different things that a property may hold, those that it is called after, else one."""
    shortest = min(choices, key=len, default="")
    if all(choice.endswith(shortest) for choice in choices):  # a customer, or a deleted one
        return choices
    return [choice for choice in choices if role.endswith(choice)] or choices[:1]


def _collection(path: str) -> str:
    """The template of a path without the item at its end."""
    return template(path).removesuffix("/{}")


def _inflected(word: str) -> bool:
    return word.endswith(("s", "ed", "ing")) and infinitive(word) != word


def _asks(part: str) -> bool:
    """Whether a part of a path holds what is looked for: /search/{query}."""
    names = _PARAMETER.findall(part)
    return len(names) == 1 and fold(names[0]) in _ASKED


def _plural(path: str) -> bool:
    """Whether the last word of a path stands in the plural."""
    last = fold(path.rpartition("/")[2]).rpartition("_")[2]
    return singular(last) != last


def _procedure(path: str) -> list[str]:
    """The parts of a path that calls a procedure: `/conversations.setTopic`."""
    last = path.rstrip("/").rpartition("/")[2]
    parts = last.split(".")
    return parts if len(parts) > 1 and "{" not in last and all(map(str.isidentifier, parts)) else []


def _has_key(shape: Shape) -> bool:
    names = {fold(str(name)) for name in shape.properties}
    return bool(names & {"id", "name", "number", "key", "login", "sha", "slug", "uuid", "metadata",
                         "ts", "gid", "uid", "iid"})  # fmt: skip


def _enumerated(schema: object) -> bool:
    """Whether a value, or each of a list, is one of a few."""
    if not isinstance(schema, dict):
        return False
    items = schema.get("items")
    return "enum" in schema or (isinstance(items, dict) and "enum" in items)


def _body(operation: Operation) -> object:
    """The name of the schema that a call takes."""
    written = operation.operation.get("requestBody")
    content = written.get("content") if isinstance(written, dict) else None
    found = [one.get("schema") for one in content.values()] if isinstance(content, dict) else []
    for parameter in operation.operation.get("parameters") or ():
        if isinstance(parameter, dict) and parameter.get("in") == "body":
            found.append(parameter.get("schema"))
    return next((ref for ref in map(_reference, found) if ref), None)


def _reference(schema: object) -> object:
    """The name that a schema refers to, of itself or of its items."""
    if not isinstance(schema, dict):
        return None
    items = schema.get("items")
    inner = items.get("$ref") if isinstance(items, dict) else None
    return schema.get("$ref") or inner
