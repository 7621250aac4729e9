"""What FEEDS rests on beyond documents: a person's decisions about fields, and what traces showed.

A decision is directed: "an assignee_id is a user_id" lets whoever makes a user_id feed inputs that
are called assignee_id, and nothing else. Two fields that were merged are two spellings of one, so
that each feeds the other. Neither reaches further than the two names that the person spoke of.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from spm.registry.access.audience import ACCESS, Audience, Places, audience_of
from spm.registry.store.interface import Row, Transaction

LEAST = 2  # observations; one value may be equal by chance
MOST, ELSEWHERE = 6, 3  # producers that are kept for one input, of its own service and of others
# Weights; what a document declares has at most 0.8. They depend on the producer alone, so that what
# a caller may not see changes nothing about what it sees.
OBSERVED, REVIEWED, REVIEWED_ELSEWHERE = 1.0, 0.9, 0.6
_STEP = 0.02  # less for each place of the verb
# What finds a thing comes before what makes a new one; of some tools nothing is known. What only
# changes a thing brings about no value for others.
_VERBS = {"list": 0, "search": 0, "get": 1, "create": 2, None: 3}


@dataclass(frozen=True)
class Known:
    """That a tool makes what another takes as `field`, and how that is known."""

    producer: str
    consumer: str
    field: str
    evidence: str
    weight: float


def evidence(tx: Transaction, service: str) -> list[Known]:
    """What people decided and traces showed about the inputs of a service's tools."""
    return [*_reviewed(tx, service), *_observed(tx, service)]


def services_decided(tx: Transaction, service: str) -> set[str]:
    """The other services whose inputs decisions or traces connect with tools of this one."""
    decided = tx.run("map/decided_elsewhere", service=service)
    fed = tx.run("map/fed_elsewhere", service=service)
    return {row["other"] for row in (*decided, *fed)}


def decided(tx: Transaction) -> dict[str, list[str]]:
    """For each field that a person spoke of, the fields whose makers feed it."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in tx.run("fields/directed"):
        found[row["field"]].add(row["kind"])
    for row in tx.run("fields/reviewed"):
        found[row["field"]].add(row["same"])
        found[row["same"]].add(row["field"])
    return {name: sorted(others) for name, others in sorted(found.items())}


def _reviewed(tx: Transaction, service: str) -> Iterable[Known]:
    decisions = decided(tx)
    if not decisions:
        return
    takers = tx.run("map/decided_takers", service=service, fields=list(decisions))
    wanted = sorted({kind for row in takers for kind in decisions[row["field"]]})
    makers = makers_of(tx.run, wanted) if wanted else {}
    for row in takers:
        found = {
            maker["id"]: maker for kind in decisions[row["field"]] for maker in makers.get(kind, ())
        }
        found.pop(row["id"], None)
        for maker in _best(found.values(), service, audience_of(row)):
            base = REVIEWED if maker["service"] == service else REVIEWED_ELSEWHERE
            weight = round(base - _STEP * _VERBS[maker["verb"]], 3)
            yield Known(maker["id"], row["id"], row["field"], "reviewed", weight)


def makers_of(run: Callable[..., list[Row]], fields: list[str]) -> dict[str, list[Row]]:
    """Who returns these fields, or the very things that they identify, and may feed others.

    Args:
        run: of a transaction, or `read` of a store.
        fields: their canonical names.
    """
    found: dict[str, dict[str, Row]] = defaultdict(dict)
    by_name = run("map/makers", fields=fields)
    for row in (*by_name, *run("map/makers_of_resource", fields=fields)):
        if row["verb"] in _VERBS:
            found[row["field"]].setdefault(row["id"], row)
    return {name: list(rows.values()) for name, rows in found.items()}


def _best(makers: Iterable[Row], service: str, consumer: Audience) -> Iterable[Row]:
    """The producers that are kept, of the own service and of others: so many that all see."""
    ranked = sorted(makers, key=lambda row: (_VERBS[row["verb"]], len(row["id"]), row["id"]))
    own, other = Places(MOST, consumer), Places(ELSEWHERE, consumer)
    for row in ranked:
        if (own if row["service"] == service else other).takes(audience_of(row)):
            yield row


def _observed(tx: Transaction, service: str) -> Iterable[Known]:
    places: dict[tuple[str, str], Places] = {}
    for row in tx.run("map/handed", service=service, least=LEAST):
        consumer, field = row["consumer"], row["field"]
        if row["producer"] == consumer:
            continue
        shown = audience_of({key: row[f"to_{key}"] for key in ACCESS})
        place = places.setdefault((consumer, field), Places(MOST, shown))
        if place.takes(audience_of(row)):
            yield Known(row["producer"], consumer, field, "observed", OBSERVED)
