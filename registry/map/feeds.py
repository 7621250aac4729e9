"""FEEDS: which tool can run before which, because it makes what the other takes.

`feeds` is the rule, on the tools of one service; `refresh` reads them out of the graph, and writes
what changed, inside the transaction of whatever write touched them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from spm.registry.access.audience import ACCESS, EVERYBODY, Audience, Places, audience_of
from spm.registry.catalog.fields import is_control, is_generic
from spm.registry.catalog.naming import words
from spm.registry.map.feed_evidence import evidence, services_decided
from spm.registry.map.homes import Homes
from spm.registry.map.resources import KEYS, Given, Identity, Verb, is_content
from spm.registry.map.tool_nodes import CALLER, MAKES, NEEDS_ITSELF, OWN, Node, Takes
from spm.registry.map.verbs import kind_of
from spm.registry.store.interface import Row, Transaction

REQUIRED, OPTIONAL, HUB, ELSEWHERE = 6, 4, 4, 3  # producers that are kept for one input
CREATES = 3  # of those that create it, for which room is kept
TWINS = 2  # of those that do the same from the same
FURTHER, HUB_FURTHER = 1, 2  # of those that need more than the consumer has, where others do not
REFERENCES = 2  # and behind them things that refer to what it takes
_READS = frozenset(("get", "list", "search"))
_OF_VERB = {"list": 1.0, "search": 1.0, "get": 0.9, "create": 0.7}
SHORT = 12  # fields of an answer that is no record
RARE = 5  # makers of a field that is no key, up to which its name alone links tools
_OF_EVIDENCE = {"observed": 1.0, "declared": 0.8, "inferred": 0.5}
_APART = 0.97
# Of names: what goes on answering is no look-up, and what is not there yet has no id.
_STREAMS = frozenset(("watch", "stream", "preview", "upcoming"))
_ELSEWHERE = 0.5  # what another service makes counts half
_STRONG = frozenset("id uuid guid gid iid arn urn sha token".split())  # keys by any record
# Besides keys, what tools hand from one to another under the very same name.
_HANDED = KEYS | frozenset("token email phone url uri link address path file".split())


@dataclass
class Feed:
    """An edge from a producer to a consumer."""

    producer: str
    consumer: str
    fields: set[str] = field(default_factory=set)
    evidence: str = "declared"
    weight: float = 0.0

    def add(self, name: str, evidence: str, weight: float) -> None:
        """Let it also carry a field; the strongest evidence is that of the edge."""
        self.fields.add(name)
        if weight > self.weight:
            self.weight, self.evidence = weight, evidence

    def row(self) -> Row:
        """The edge as the graph keeps it."""
        return {
            "producer": self.producer,
            "consumer": self.consumer,
            "fields": sorted(self.fields),
            "evidence": self.evidence,
            "weight": self.weight,
        }


_Ranked = tuple[tuple[float, ...], Node, Given]


def feeds(nodes: Iterable[Node]) -> list[Feed]:
    """The edges between the tools of one service.

    Whether one tool feeds another is what the rule says of the tools that everybody sees who sees
    these two: what is hidden from somebody adds no edge to what it gets, and takes none away.
    """
    nodes = list(nodes)
    kinds = {node.audience for node in nodes}
    seen: dict[Audience, _Seen] = {}
    found: dict[tuple[str, str], Feed] = {}
    for node in nodes:
        for both in {kind.shared(node.audience) for kind in kinds}:
            if both not in seen:
                seen[both] = _Seen.of([one for one in nodes if both.sees(one.audience)])
            for taken in node.takes:
                for producer, given in _pairs(node, taken, seen[both]):
                    if producer.audience.shared(node.audience) != both:
                        continue
                    feed = found.setdefault((producer.id, node.id), Feed(producer.id, node.id))
                    weight = _weight(producer.verb, given, _distance(producer, given, node))
                    feed.add(taken.field, given.evidence, weight)
    return [found[key] for key in sorted(found)]


@dataclass(frozen=True)
class _Seen:
    """The tools of a service that an audience sees: who gives what, who makes which field."""

    givers: Mapping[str, list[tuple[Node, Given]]]
    makers: Mapping[str, list[Node]]
    homes: Homes

    @classmethod
    def of(cls, nodes: list[Node]) -> "_Seen":
        givers: dict[str, list[tuple[Node, Given]]] = defaultdict(list)
        makers: dict[str, list[Node]] = defaultdict(list)
        for node in nodes:
            if node.verb in MAKES and not node.words & _STREAMS:
                for given in node.gives:
                    if node.verb == "create" and given.resource != node.resource:
                        continue  # made for what it makes, not for what else its answer tells of
                    if node.adds(given):
                        continue
                    givers[given.resource].append((node, given))
                for name in node.makes:
                    makers[name].append(node)
        return cls(givers, makers, Homes(nodes))


def _pairs(node: Node, taken: Takes, seen: _Seen) -> list[tuple[Node, Given]]:
    """Who feeds an input, and with what."""
    pairs = _producers(node, taken, seen.givers, seen.homes) if taken.identity else []
    if not pairs and _is_handed_on(taken, seen.makers):
        return _same_field(node, taken, seen.makers)
    return pairs


def is_handed(name: str) -> bool:
    """Whether tools hand a field of this name from one to another: `order_id`, not `subject`."""
    last = name.rpartition("_")[2]
    return last in _HANDED and not (is_generic(name) or is_control(name) or is_content(name))


def _is_handed_on(taken: Takes, makers: Mapping[str, list[Node]]) -> bool:
    """Whether the same name is enough: a key, or a required input that few tools make.

    A tool that answers little means what it answers; a record of many fields has names by chance.
    """
    name, made_by = taken.field, makers.get(taken.field, ())
    if is_generic(name) or is_control(name) or is_content(name):
        return False
    if taken.required and name.rpartition("_")[2] in _STRONG:
        return True
    short = all(len(maker.makes) <= SHORT for maker in made_by)
    return short and (is_handed(name) or (taken.required and len(made_by) <= RARE))


def _same_field(
    consumer: Node, taken: Takes, makers: Mapping[str, list[Node]]
) -> list[tuple[Node, Given]]:
    """Producers of the very same field, where no resource says more."""
    given = Given(taken.field, "field")
    changes = consumer.verb in ("create", "update")
    ranked = [
        (_rank(producer, given, consumer), producer, given)
        for producer in makers.get(taken.field, ())
        # What a thing has already is not put into the same kind of thing again.
        if producer.id != consumer.id and not (changes and producer.tells_of(consumer.resource))
    ]
    ranked.sort(key=lambda row: (row[0], len(row[1].id), row[1].id))
    return [
        (producer, given)
        for _, producer, given in ranked[: REQUIRED if taken.required else OPTIONAL]
    ]


def _producers(
    consumer: Node,
    taken: Takes,
    givers: Mapping[str, list[tuple[Node, Given]]],
    homes: Homes,
) -> list[tuple[Node, Given]]:
    assert taken.identity is not None
    resource, role = taken.identity.resource, taken.identity.role
    main = consumer.verb in NEEDS_ITSELF and resource == consumer.resource
    hub = resource in homes.hubs
    own: list[_Ranked] = []
    references: list[_Ranked] = []
    for producer, given in givers.get(resource, ()):
        if producer.id == consumer.id or producer.echoes(given):
            continue
        if hub and (producer.resource != resource or producer.verb == "get") and not given.many:
            continue
        if producer.verb == "create" and homes.is_empty(resource, consumer):
            continue
        if producer.verb == "create" and hub and consumer.verb in (*_READS, "delete") and not main:
            continue  # where everything happens: nobody makes one to look around in it
        if homes.is_of_another(producer, resource, consumer):
            continue
        if not given.role:
            own.append((_rank(producer, given, consumer), producer, given))
        elif not (role or hub) and (taken.required or main):
            references.append((_rank_reference(producer, given, consumer), producer, given))
    # Among equals the shorter name is the more general one.
    own.sort(key=lambda row: (row[0], len(row[1].id), row[1].id))
    most = HUB if hub else REQUIRED if taken.required or main else OPTIONAL
    twins, further = (1, HUB_FURTHER) if hub else (TWINS, FURTHER)
    reached = _within_reach(_without_twins(own, twins), further)
    kept = _mixed(_without_detours(reached, consumer, homes), most)
    kept = _likely(kept, taken, consumer)
    if not kept or (main and consumer.verb == "get"):
        kept += _best_references(references)
    return [(producer, given) for _, producer, given in kept]


def _without_detours(ranked: list[_Ranked], consumer: Node, homes: Homes) -> list[_Ranked]:
    """Without looks into what must itself be found inside a thing, where others do."""
    rows = [row for row in ranked if not _creates(row)]
    hard = {row[1].id for row in rows if homes.is_detour(row[1], row[2].resource, consumer)}
    plain = any(row[1].id not in hard for row in rows)
    return [row for row in ranked if row[1].id not in hard] if plain else ranked


def _likely(kept: list[_Ranked], taken: Takes, consumer: Node) -> list[_Ranked]:
    """Without what nobody would run for this, though it gives what the consumer takes."""
    whole = [row for row in kept if row[1].states <= consumer.acts]
    kept = whole if any(not row[0][0] and not _creates(row) for row in whole) else kept
    if consumer.verb in ("list", "search") and not taken.required:  # just made: not looked for
        kept = [row for row in kept if not (_creates(row) and row[1].resource == consumer.resource)]
    there = any(_creates(row) and row[1].required and not row[0][0] for row in kept)
    if there and not consumer.words & CALLER:  # one of one's own is not yet the organization's
        kept = [row for row in kept if not (_creates(row) and row[1].words & CALLER)]
    if taken.required and consumer.verb in ("update", "delete", "act"):
        # Who asks about itself does not act on itself: it unblocks and removes others.
        kept = [row for row in kept if not (row[1].verb == "get" and row[1].words & CALLER)]
    return kept


def _best_references(ranked: list[_Ranked]) -> list[_Ranked]:
    """One from each kind of thing that refers: who gets a thing has its references at hand."""
    ranked.sort(key=lambda row: (row[0], len(row[1].id), row[1].id))
    first: dict[str, _Ranked] = {}
    for row in ranked:
        first.setdefault(row[1].resource, row)
    return list(first.values())[:REFERENCES]


def _without_twins(ranked: list[_Ranked], most: int) -> list[_Ranked]:
    """Of tools that do the same from the same, those whose names are nearest to the consumer's.

    Two versions of an API, a legacy route and its successor: each is used with its own kind. Of
    many lists of one thing (own, starred, watched), those whose names add the least to it.
    """
    kept: list[_Ranked] = []
    nearest: dict[tuple[object, ...], list[_Ranked]] = {}
    for row in ranked:
        producer, given = row[1], row[2]
        same = nearest.setdefault(
            (producer.verb, producer.resource, producer.required, given.many), []
        )
        if same:
            (*_, shared, added, _), (*_, as_near, as_plain, _) = row[0], same[0][0]
            if len(same) >= most or shared != as_near or added > as_plain + 1:
                continue
        same.append(row)
        kept.append(row)
    return kept


def _within_reach(ranked: list[_Ranked], most: int) -> list[_Ranked]:
    """Where something runs on what the consumer has, few that must first find something else."""
    if not ranked or ranked[0][0][0]:
        return ranked
    further = [row for row in ranked if row[0][0] and not _creates(row)]
    # Who lists just there leaves little to look for elsewhere.
    there = any(not row[0][0] and row[1].required and row[1].verb == "list" for row in ranked)
    dropped = {row[1].id for row in further[1 if there else most :]}
    return [row for row in ranked if row[1].id not in dropped]


def _mixed(ranked: list[_Ranked], most: int) -> list[_Ranked]:
    """The best, and behind them one that searches and some that create."""
    kept, rest = ranked[:most], ranked[most:]
    searches = [] if any(map(_searches, kept)) else list(filter(_searches, rest))
    room = max(0, CREATES - sum(map(_creates, kept)))
    return [*kept, *searches[:1], *list(filter(_creates, rest))[:room]]


def _searches(row: _Ranked) -> bool:
    return row[1].verb == "search"


def _creates(row: _Ranked) -> bool:
    return row[1].verb == "create" and row[1].resource == row[2].resource


def _rank_reference(producer: Node, given: Given, consumer: Node) -> tuple[float, ...]:
    """Lower is better: a reference that is called as the thing, out of a single thing."""
    return (
        0 if given.resource.endswith(given.role) else 1,
        0 if producer.verb == "get" else 1,
        -len(producer.taken & consumer.taken),
        -len(producer.content & consumer.content),
    )


def _rank(producer: Node, given: Given, consumer: Node) -> tuple[float, ...]:
    """Lower is better: the thing itself, from what the consumer has anyway, in its own corner."""
    needs, has = producer.required, consumer.required
    return (
        len(needs - has),
        -len((producer.taken & consumer.taken) - {given.resource}),
        0 if producer.resource == given.resource else 1,
        MAKES[producer.verb],
        -len(producer.content & consumer.content),
        len(producer.content - consumer.content - _spellings(given.resource)),
        # One's own things before everybody's.
        0 if producer.words & OWN and needs <= has else 1,
    )


@lru_cache(10_000)
def _spellings(resource: str) -> frozenset[str]:
    """The words of a resource, in the plural too and cut short: repos are repositories."""
    own = words(resource.rpartition("/")[2])
    return frozenset(part for word in own for part in (word, f"{word}s", word[:4], f"{word[:4]}s"))


def _weight(verb: Verb, given: Given, apart: float = 0.0) -> float:
    """How good a producer is: by what is known of it, and how far it is from the consumer.

    Never by its place among others, which a caller may not see.
    """
    whole = 1.0 if not given.role else 0.6
    near: float = _APART**apart
    return round(_OF_VERB[verb] * _OF_EVIDENCE[given.evidence] * whole * near, 3)


def _distance(producer: Node, given: Given, consumer: Node) -> float:
    """0 for a producer in the consumer's own corner; what it needs besides adds to it."""
    further = len(producer.required - consumer.required)
    elsewhere = producer.resource != given.resource
    shared = bool(producer.words & consumer.words)
    return 2.0 * further + elsewhere + (not shared)


# -- in the graph -------------------------------------------------------------------------------


def refresh(tx: Transaction, service: str) -> None:
    """Bring the edges into the tools of a service up to date, and those that it now feeds."""
    makers = Makers(tx)
    _refresh(tx, service, makers)
    for other in sorted(touched(tx, service) - {service}):
        if evidence(tx, other):
            _refresh(tx, other, makers)
        else:
            _refresh_from_elsewhere(tx, other, makers)


def touched(tx: Transaction, service: str) -> set[str]:
    """The other services whose inputs tools of this one feed, or may feed."""
    return _services_in_need(tx, service) | services_decided(tx, service)


def _services_in_need(tx: Transaction, service: str) -> set[str]:
    """The other services with an input that no tool of theirs makes, and that this one may feed.

    Not all that take a field which this one makes: with many services nearly all do, and reading
    them would make each registration as dear as all before it.
    """
    makers: dict[str, list[Row]] = defaultdict(list)
    for row in tx.run("map/made_by", service=service):
        if is_handed(row["field"]):
            makers[row["field"]].append(row)
    best = {
        name: _best_of_each_kind(ranked)
        for name, rows in makers.items()
        if (ranked := _ranked(rows))
    }
    held: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in tx.run("map/unmet_elsewhere", service=service, fields=sorted(best)):
        key = row["service"], row["consumer"], row["field"]
        held[key] += [row] if row["id"] is not None else []
    found = set()
    for (other, _, name), rows in held.items():
        there = [(_place(row), audience_of(row)) for row in _ranked(rows)]
        for kind, place in best[name].items():
            better = (1 for known, shown in there if known <= place and kind.sees(shown))
            if other not in found and sum(better) < ELSEWHERE:
                found.add(other)
    return found


def _best_of_each_kind(ranked: Iterable[Row]) -> dict[Audience, tuple[int, int, str]]:
    """The place of the best tool that each audience sees."""
    best: dict[Audience, tuple[int, int, str]] = {}
    for row in ranked:
        best.setdefault(audience_of(row), _place(row))
    return best


def _ranked(rows: Iterable[Row]) -> list[Row]:
    """Those of these tools that make something for others, the best first."""
    able = [row for row in rows if _verb_of(row) in MAKES]
    return sorted(able, key=_place)


def _place(row: Row) -> tuple[int, int, str]:
    """Where a tool stands among those of other services: what looks up first, short names first."""
    return MAKES[_verb_of(row)], len(row["id"]), row["id"]


def refresh_consumers(tx: Transaction, services: Iterable[str]) -> None:
    """Bring the edges into the tools of these services up to date."""
    makers = Makers(tx)
    for name in sorted(services):
        _refresh(tx, name, makers)


def refresh_around(tx: Transaction, tools: Iterable[str]) -> None:
    """Bring the edges up to date after others see these tools, or these do something else."""
    rows = tx.run("tools/access", ids=sorted(tools))
    services = {row["service"] for row in rows}
    fed = {other for name in services for other in touched(tx, name)}
    refresh_consumers(tx, services | fed)


@dataclass(frozen=True)
class _Need:
    """An input that is not fed for everybody who sees its tool.

    Attributes:
        consumer: the tool.
        audience: who sees it.
        fed_by: who sees each tool of its own service that feeds it.
    """

    consumer: str
    audience: Audience
    fed_by: tuple[Audience, ...] = ()

    def is_open(self, producer: Audience) -> bool:
        """Whether those who see a producer see nothing in its own service that feeds it."""
        both = producer.shared(self.audience)
        return not any(both.sees(own) for own in self.fed_by)


class Makers:
    """Who makes a field for others, the best first; read once for all services of one write."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._known: dict[str, list[tuple[Audience, Row]]] = {}

    def read(self, fields: Iterable[str]) -> None:
        """Read who makes these fields, where that is not known yet."""
        if new := sorted(set(fields) - self._known.keys()):
            found: dict[str, list[Row]] = {name: [] for name in new}
            for row in self._tx.run("map/producers", fields=new):
                found[row["field"]].append(row)
            for name, rows in found.items():
                self._known[name] = [(audience_of(row), row) for row in _ranked(rows)]

    def outside(self, name: str, service: str, need: _Need) -> Iterator[Row]:
        """The makers of a field that feed an input of a service: three that everybody sees."""
        known = self._known[name]
        kinds = {kind for kind, _ in known}
        places = Places(ELSEWHERE, need.audience)
        for kind, row in known:
            if row["service"] == service:
                continue
            if places.takes(kind):
                if need.is_open(kind):
                    yield row
            elif places.are_full(kinds):
                return


def edges_into(
    tx: Transaction, service: str, makers: Makers | None = None
) -> dict[tuple[str, str], Feed]:
    """All edges that there should be into the tools of a service, by their two ends."""
    nodes = read_nodes(tx, service)
    wanted = {(f.producer, f.consumer): f for f in feeds(nodes)}
    for feed in _from_elsewhere(makers or Makers(tx), service, _unmet(nodes, wanted)):
        wanted[feed.producer, feed.consumer] = feed
    for known in evidence(tx, service):
        ends = known.producer, known.consumer
        wanted.setdefault(ends, Feed(*ends)).add(known.field, known.evidence, known.weight)
    return wanted


def _refresh(tx: Transaction, service: str, makers: Makers) -> None:
    rows = {key: feed.row() for key, feed in edges_into(tx, service, makers).items()}
    _replace(tx, rows, tx.run("map/feeding", service=service))


def _replace(tx: Transaction, rows: Mapping[tuple[str, str], Row], known: list[Row]) -> None:
    """Write what differs between the edges that there should be and those that are known."""
    there = {(r["producer"], r["consumer"]): r for r in known}
    stale = [{"producer": p, "consumer": c} for p, c in sorted(there.keys() - rows.keys())]
    changed = [row for key, row in sorted(rows.items()) if there.get(key, row) != row]
    if stale:
        tx.run("map/cut_feeds", rows=stale)
    if changed:
        tx.run("exchange/put_feeds", rows=changed)
    if new := [row for key, row in sorted(rows.items()) if key not in there]:
        ids = sorted({row[end] for row in new for end in ("producer", "consumer")})
        at = {tool: place for place, tool in enumerate(ids)}
        pairs = [
            [at[r["producer"]], at[r["consumer"]], r["fields"], r["evidence"], r["weight"]]
            for r in new
        ]
        tx.run("map/add_feeds", ids=ids, pairs=pairs)


def _refresh_from_elsewhere(tx: Transaction, service: str, makers: Makers) -> None:
    """Bring the edges from other services up to date, where a write touched none of its own tools.

    Without decisions and traces its own edges are what the rule says of its own tools, and these
    are as they were. To read and to connect all of them again took two thirds of a registration.
    """
    unmet: dict[str, dict[str, _Need]] = defaultdict(dict)
    for row in tx.run("map/unmet", service=service):
        if _crosses(row["field"]):
            needs = unmet[row["field"]]
            need = needs.setdefault(row["id"], _Need(row["id"], audience_of(row)))
            if row["own"] is not None:
                own = audience_of({key: row[f"own_{key}"] for key in ACCESS})
                needs[row["id"]] = replace(need, fed_by=(*need.fed_by, own))
    open_to_others = {name: list(needs.values()) for name, needs in unmet.items()}
    fed = _from_elsewhere(makers, service, open_to_others)
    rows = {(f.producer, f.consumer): f.row() for f in fed}
    _replace(tx, rows, tx.run("map/feeding_from_elsewhere", service=service))


def read_nodes(tx: Transaction, service: str) -> list[Node]:
    """The tools of a service as the rule sees them."""
    takes: dict[str, list[Takes]] = defaultdict(list)
    for row in tx.run("map/taken", service=service):
        identity = Identity(row["resource"], row["role"] or "") if row["resource"] else None
        takes[row["id"]].append(Takes(row["field"], identity, bool(row["required"])))
    gives: dict[str, list[Given]] = defaultdict(list)
    for row in tx.run("map/given", service=service):
        given = Given(row["resource"], row["role"], bool(row["many"]), row["evidence"])
        gives[row["id"]].append(given)
    makes: dict[str, set[str]] = defaultdict(set)
    for row in tx.run("map/made", service=service):
        makes[row["id"]].add(row["field"])
    return [
        Node(
            row["id"],
            _verb_of(row),
            row["resource"] or "",
            tuple(takes[row["id"]]),
            tuple(gives[row["id"]]),
            frozenset(makes[row["id"]] - {taken.field for taken in takes[row["id"]]}),
            frozenset(words(row["name"])),
            audience_of(row),
        )
        for row in tx.run("map/acts", service=service)
    ]


def _verb_of(row: Row) -> Verb:
    """What a tool does: to its resource, else by its name, else by its effects."""
    if row["verb"]:
        known: Verb = row["verb"]
        return known
    otherwise: Verb = "get" if row["effects"] == "read" else "act"
    return next(filter(None, map(kind_of, words(row["name"])[:3])), otherwise)


def _crosses(name: str) -> bool:
    """Whether one service makes this field for another; a `secret_name` is nothing to others."""
    return is_handed(name) and not name.endswith("_name")


def _unmet(nodes: list[Node], there: Mapping[tuple[str, str], Feed]) -> dict[str, list[_Need]]:
    """Required inputs that no tool of their service makes for everybody, by field."""
    shown = {node.id: node.audience for node in nodes}
    fed: dict[tuple[str, str], list[Audience]] = defaultdict(list)
    for (producer, consumer), feed in there.items():
        for name in feed.fields:
            fed[consumer, name].append(shown[producer])
    unmet: dict[str, list[_Need]] = defaultdict(list)
    for node in nodes:
        for taken in node.takes:
            need = _Need(node.id, node.audience, tuple(fed[node.id, taken.field]))
            if taken.required and _crosses(taken.field) and need.is_open(EVERYBODY):
                unmet[taken.field].append(need)
    return unmet


def _from_elsewhere(makers: Makers, service: str, unmet: Mapping[str, list[_Need]]) -> list[Feed]:
    """Edges from other services, for required inputs that no tool of this one makes."""
    found: dict[tuple[str, str], Feed] = {}
    makers.read(unmet)
    for name, needs in sorted(unmet.items()):
        for need in needs:
            for row in makers.outside(name, service, need):
                ends = row["id"], need.consumer
                weight = _ELSEWHERE * _weight(_verb_of(row), Given(name, "field"))
                found.setdefault(ends, Feed(*ends)).add(name, "declared", round(weight, 3))
    return list(found.values())
