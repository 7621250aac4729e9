"""Suggesting that a field is another, with how much that would unblock, a confidence and reasons.

Only required inputs count that FEEDS does not cover. What names say comes first: a role that people
have (`assignee_id` is a `user_id`), or the same thing under a longer or shorter name; and what a
description says ("The colleague who approves it" is a `colleague_id`). Then the circumstances:
shared words, types, descriptions, and who was observed right before whom. And what is direct:
values were seen to come out as the one and to go in as the other. Nothing is suggested that would
make no edge. A person decides: `spm fields is` writes the reviewed edge.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log2

import numpy as np

from spm.registry.catalog.fields import ATTRIBUTES, GENERIC, folded, is_control
from spm.registry.catalog.graph_rows import field_name
from spm.registry.catalog.naming import with_article, words
from spm.registry.catalog.tools import definitions
from spm.registry.map.feed_evidence import makers_of
from spm.registry.map.resources import KEYS, PEOPLE, ROLES, is_content
from spm.registry.store.interface import Row, Store, Vector
from spm.registry.store.reader import Reader

# The best balanced of seven weightings on the flows of NESTFUL's train episodes. The held-out flows
# were printed beside them, so no figure on NESTFUL is a clean test of this choice.
WEIGHTS = {"name": 0.3, "description": 0.3, "flow": 0.3, "type": 0.1}
# How much of the doubt a name or a description takes away that says what a field is.
SAYS = {"role": 0.7, "described": 0.7, "resource": 0.6}
# How many observed values take away half of the doubt: one may be chance, a dozen hardly ever are.
HALF = 1
ELSEWHERE = 0.5  # what no tool of the same service makes is half as likely to be meant
MINIMUM = 0.35
PER_FIELD = 3  # guesses; what was observed is none
# Descriptions are compared for so many inputs and outputs: encoding them is what takes time.
DESCRIBED_INPUTS, DESCRIBED_OUTPUTS = 80, 240
# What belongs to a thing without saying which: no such field is another, under any name.
_NO_IDENTITY = ATTRIBUTES - KEYS | frozenset(
    "token secret password signature format mode visibility scope direction order locale timezone "
    "language lang currency enabled query q search term keyword filter limit url uri image icon "
    "color data metadata spec config settings option body template".split()
)
_IDS, _LOGINS = frozenset("id uid uuid guid identifier".split()), frozenset("login handle".split())
# `repo` is short for `repository`, `env` for `environment`; `base` is not for `baseline`.
_PREFIX, _ENDINGS = 3, ("ion", "ory", "ment", "ance", "ence", "ity")
# "The colleague who approves it", "Cost center that pays": the nouns in front.
_THE_ONE = re.compile(
    r"^(?:(?:the|an?|id|of)\s+){0,4}([a-z]{1,40}(?:[ _-][a-z]{1,40}){0,2}?)\s+"
    r"(?:who|whom|whose|that|which)\b",
    re.I,
)
_BETWEEN = frozenset("of in for to on by at with from and or".split())  # a person in charge who
Pair = tuple[str, str]


@dataclass(frozen=True)
class Suggestion:
    """An input that may be another field, which tools make.

    Attributes:
        output: the field that is made.
        input: the field that is taken.
        confidence: how likely it is, from 0 to 1.
        reasons: what speaks for it, each from 0 to 1.
        observed: how often a value was seen to go from the one to the other.
        unblocks: tools with such a required input that nothing feeds.
        says: the decision as a sentence.
        command: how to take it.
    """

    output: str
    input: str
    confidence: float
    reasons: dict[str, float]
    observed: int = 0
    unblocks: int = 0
    says: str = ""
    command: str = ""

    @property
    def because(self) -> str:
        """The reasons in words, the strongest first."""
        told = {
            "role": "a role that people have",
            "described": "its description says so",
            "resource": "a name of the same thing",
        }
        found = [f"observed {self.observed}×"] if self.observed else []
        found += [told[kind] for kind in SAYS if kind in self.reasons]
        found += [f"{k} {v:.2f}" for k, v in self.reasons.items() if k in WEIGHTS]
        return ", ".join(found)


@dataclass(frozen=True)
class _Field:
    """A field on one side of a suggestion: its type, and in which services tools have it."""

    name: str
    type: str | None
    services: dict[str, int] = field(default_factory=dict)  # tools of each

    @property
    def tools(self) -> int:
        return sum(self.services.values())


def suggest(
    store: Store,
    encode: Callable[[Sequence[str]], Vector] | None = None,
    *,
    minimum: float = MINIMUM,
    count: int = 50,
) -> list[Suggestion]:
    """Suggest what required inputs are that nothing feeds, the most useful first.

    Of inputs that their service makes under the same name only what was observed is suggested.
    """
    offered = _grouped(store.read("fields/offering"), _is_offered)
    evidence = _Evidence.of(store)
    wanted = _wanted(store, offered, evidence)
    if not wanted:
        return []
    flows = _flows(store.read("fields/flows", inputs=sorted(wanted)))
    alike = _description_similarity(store, wanted, offered, encode)
    said = _described(store, wanted, offered)
    pairs = _candidates(wanted, [name for name, one in offered.items() if _is_value(one)])
    pairs |= {pair for pair in (*flows, *alike, *evidence.observed) if pair[1] in wanted} | said
    pairs = {(given, taken) for given, taken in pairs if given in offered and given != taken}
    pairs -= evidence.reviewed
    unblocked = _unblocked(store, pairs, wanted)
    judged: dict[str, list[Suggestion]] = defaultdict(list)
    for pair in sorted(unblocked):
        given, taken = pair
        if pair not in evidence.observed and (wanted[taken].made or _is_name_of_id(*pair)):
            continue
        circumstances = {"description": alike.get(pair, 0.0), "flow": flows.get(pair, 0.0)}
        says = _says(*pair) or ("described" if pair in said else "")
        found = _judge(offered[given], wanted[taken].field, says, circumstances, evidence)
        judged[taken].append(replace(found, unblocks=unblocked[pair]))
    kept: list[Suggestion] = []
    for ranked in judged.values():
        ranked.sort(key=lambda s: (-s.confidence, -offered[s.output].tools, s.output))
        best = [s for place, s in enumerate(ranked) if place < PER_FIELD or s.observed]
        kept += [s for s in best if s.confidence >= minimum]
    return sorted(kept, key=lambda s: (-_use(s), -s.confidence, s.input, s.output))[:count]


def _unblocked(
    store: Store, pairs: Iterable[Pair], wanted: Mapping[str, "_Wanted"]
) -> dict[Pair, int]:
    """For each pair that would make an edge, the tools that it would feed.

    Those of services that make the output themselves, else all. A tool feeds neither itself nor
    anybody while it lacks the very input.
    """
    known = makers_of(store.read, sorted({given for given, _ in pairs}))
    found: dict[Pair, int] = {}
    for given, taken in pairs:
        lacking = wanted[taken].tools
        able = [row for row in known.get(given, ()) if row["id"] not in lacking]
        homes = {row["service"] for row in able}
        here = sum(service in homes for service in lacking.values())
        if able:
            found[given, taken] = here or len(lacking)
    return found


def _is_name_of_id(given: str, taken: str) -> bool:
    """Whether one is a name and the other an id, which stand for a thing but not for each other."""
    ends = {folded(given)[-1], folded(taken)[-1]}
    return "name" in ends and not ends.isdisjoint(_IDS)


def _use(found: Suggestion) -> float:
    """What a right decision is worth, times how likely it is right."""
    return found.confidence * log2(1 + found.unblocks)


@dataclass(frozen=True)
class _Wanted:
    """An input that nothing feeds, and whether its services make a field of the same name."""

    field: _Field
    made: bool
    tools: dict[str, str]  # that lack it, each with its service


def _wanted(
    store: Store, offered: Mapping[str, _Field], evidence: "_Evidence"
) -> dict[str, _Wanted]:
    reached = {taken for _, taken in evidence.observed}
    found = {}
    rows = [{**row, "tools": 1} for row in store.read("fields/wanting")]
    lacking: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        lacking[row["field"]][row["id"]] = row["service"]
    for name, one in _grouped(rows, lambda n: not is_control(n)).items():
        made = bool(offered.keys() & {name} and offered[name].services.keys() & one.services.keys())
        if name in reached or (not made and _is_wanted(one)):
            found[name] = _Wanted(one, made, lacking[name])
    return found


def _grouped(rows: Iterable[Row], fits: Callable[[str], bool]) -> dict[str, _Field]:
    found: dict[str, _Field] = {}
    for row in rows:
        name = row["field"]
        if name in found or fits(name):
            one = found.setdefault(name, _Field(name, row["type"]))
            one.services[row["service"]] = one.services.get(row["service"], 0) + row["tools"]
    return found


def _is_offered(name: str) -> bool:
    return not is_control(name) and not is_content(name)


def _is_value(found: _Field) -> bool:
    """Whether it is a value that another call can take, not an object or a flag."""
    many = found.type == "array" and folded(found.name)[-1] not in KEYS
    return not many and found.type not in ("boolean", "object", "number")


def _is_wanted(found: _Field) -> bool:
    """Whether tools can hand it on: no content, no credential, no format, no mere attribute."""
    if is_content(found.name) or not _is_value(found):
        return False
    parts = folded(found.name)
    return bool(parts) and (parts[-1] not in _NO_IDENTITY)


@dataclass(frozen=True)
class _Evidence:
    """What the registry knows of pairs (output, input)."""

    reviewed: set[Pair]
    observed: dict[Pair, Row]  # count and weight of values that were seen to flow

    @classmethod
    def of(cls, store: Store) -> "_Evidence":
        same = {(row["field"], row["same"]) for row in store.read("fields/reviewed")}
        directed = {(row["kind"], row["field"]) for row in store.read("fields/directed")}
        return cls(
            reviewed=same | {(b, a) for a, b in same} | directed,
            observed={(row["output"], row["input"]): row for row in store.read("fields/observed")},
        )


def _candidates(wanted: Iterable[str], offered: Iterable[str]) -> set[Pair]:
    """Pairs that share a word, and people's ids for inputs that are roles."""
    speaking: dict[str, set[str]] = defaultdict(set)
    for name in offered:
        for word in words(name):
            speaking[word].add(name)
    people = [n for n in offered if (parts := folded(n))[-1] in KEYS and parts[:-1][-1:] in _PEOPLE]
    found = set()
    for taken in wanted:
        near = {given for word in words(taken) for given in speaking.get(word, ())}
        near |= {g for w in words(taken) for s in _spelled(w, speaking) for g in speaking[s]}
        found |= {(given, taken) for given in near}
        if _role(taken):
            found |= {(given, taken) for given in people}
    return found


_PEOPLE = [[noun] for noun in PEOPLE]


def _spelled(word: str, known: Mapping[str, object]) -> list[str]:
    """Words of which this one is short, or the other way round."""
    if len(word) < _PREFIX:
        return []
    return [w for w in known if w != word and _short(word, w)]


def _short(first: str, second: str) -> bool:
    a, b = sorted((first, second), key=len)
    return len(a) >= _PREFIX and len(b) > len(a) and b.startswith(a) and b.endswith(_ENDINGS)


def _role(name: str) -> str:
    """The role of people that a name speaks of, or ""."""
    parts = folded(name)
    base = parts[:-1] if parts and parts[-1] in KEYS else parts
    if base and (base[-1] in ROLES or (len(base) > 1 and base[-1] == "by")):
        return "_".join(base)
    return ""


def _judge(
    given: _Field,
    taken: _Field,
    says: str,
    circumstances: Mapping[str, float],
    evidence: _Evidence,
) -> Suggestion:
    pair = given.name, taken.name
    reasons = {
        "name": _name_similarity(*pair),
        "type": 1.0 if given.type == taken.type else 0.0,
        **circumstances,
    }
    doubt = 1 - sum(WEIGHTS[kind] * value for kind, value in reasons.items())
    if says:
        doubt *= 1 - SAYS[says]
        reasons[says] = 1.0
    seen = evidence.observed.get(pair, {"count": 0, "weight": 0})
    # Independent of the circumstances: what they leave in doubt, observations take away.
    doubt *= HALF / (HALF + seen["weight"])
    here = not given.services.keys().isdisjoint(taken.services)
    likely = (1 - doubt) * (1 if here or seen["count"] else ELSEWHERE)
    kept = {kind: round(value, 3) for kind, value in reasons.items() if value}
    return Suggestion(
        *pair,
        round(likely, 4),
        kept,
        seen["count"],
        says=f"{taken.name} is {with_article(given.name)}",
        command=f"spm fields is {taken.name} {given.name}",
    )


def _says(given: str, taken: str) -> str:
    """What the names themselves say: a role of people, or one thing under two names."""
    made, used = folded(given), folded(taken)
    key, other = (parts[-1] if parts[-1] in KEYS else "" for parts in (made, used))
    noun, base = made[: -1 if key else None], used[: -1 if other else None]
    if not noun or not base or all(part in GENERIC for part in noun) or not _same_key(key, other):
        return ""
    if len(noun) == 1 and noun[0] in PEOPLE and _role(taken):
        return "role"
    whole = len(base) == len(noun) and all(
        a == b or _short(a, b) for a, b in zip(base, noun, strict=True)
    )
    short, long = sorted((noun, base), key=len)
    longer = key == other and short != long and long[-len(short) :] == short
    return "resource" if whole or (longer and not all(part in GENERIC for part in base)) else ""


def _same_key(first: str, second: str) -> bool:
    """Whether two things are told apart by the same key; a bare noun stands for its id."""
    keys = {first, second}
    if keys == {""}:
        return False
    return first == second or keys <= _IDS | {""} or keys <= _LOGINS | {""}


def _name_similarity(first: str, second: str) -> float:
    """Shared words over all words; words that say little alone count half."""
    a, b = set(words(first)), set(words(second))

    def weight(parts: set[str]) -> float:
        return sum(0.5 if part in GENERIC else 1.0 for part in parts)

    return weight(a & b) / weight(a | b) if a | b else 0.0


def _described(
    store: Store, wanted: Mapping[str, _Wanted], offered: Mapping[str, _Field]
) -> set[Pair]:
    """Pairs of an id and an input whose description says that it is such a thing."""
    lacking = sorted({tool for one in wanted.values() for tool in one.tools})
    found = set()
    for taken, description in _descriptions(store, lacking).items():
        said = _THE_ONE.search(description)
        last = folded(taken)[-1]
        if (
            not said
            or taken not in wanted
            or not (last in _IDS or (last not in KEYS and _role(taken)))
        ):
            continue
        noun = folded(said[1])
        if _BETWEEN.isdisjoint(noun):
            named = {"_".join([*noun[start:], key]) for start in range(len(noun)) for key in _IDS}
            found |= {(given, taken) for given in named & offered.keys()}
    return found


def _description_similarity(
    store: Store,
    wanted: Mapping[str, _Wanted],
    offered: Mapping[str, _Field],
    encode: Callable[[Sequence[str]], Vector] | None,
) -> dict[Pair, float]:
    """How alike the descriptions are of the inputs that block most and the outputs made most."""
    if encode is None:
        return {}
    services = {name for one in wanted.values() for name in one.field.services}
    taken = sorted(wanted, key=lambda n: (-wanted[n].field.tools, n))[:DESCRIBED_INPUTS]
    near = [n for n, one in offered.items() if one.services.keys() & services and _is_wanted(one)]
    given = sorted(near, key=lambda n: (-offered[n].tools, n))[:DESCRIBED_OUTPUTS]
    if not taken or not given:
        return {}
    descriptions = _descriptions(store)
    # Each field in words: its name, and what is told of it.
    texts = [
        ": ".join([n.replace("_", " "), *_own_text(n, descriptions)]) for n in (*taken, *given)
    ]
    vectors = encode(texts)
    cosine = np.clip(vectors[: len(taken)] @ vectors[len(taken) :].T, 0.0, 1.0)
    return {(b, a): float(cosine[i, j]) for i, a in enumerate(taken) for j, b in enumerate(given)}


def _own_text(name: str, descriptions: Mapping[str, str]) -> list[str]:
    return [descriptions[name]] if name in descriptions else []


def _descriptions(store: Store, ids: Iterable[str] | None = None) -> dict[str, str]:
    """The first description that one of these tools, or of all, gives of each field."""
    found: dict[str, str] = {}
    for _, tool in sorted(definitions(store, ids).items()):
        for spec in (*tool.inputs, *tool.outputs):
            if spec.description:
                found.setdefault(field_name(spec, tool), spec.description)
    return found


def _flows(rows: list[Row]) -> dict[Pair, float]:
    """How much of the traffic into an input came from tools that give an output."""
    into: dict[str, int] = defaultdict(int)
    for row in rows:
        into[row["input"]] = max(into[row["input"]], row["count"])
    return {(r["output"], r["input"]): r["count"] / into[r["input"]] for r in rows if r["count"]}


def overview(store: Reader, *, unproduced: bool = False) -> list[Row]:
    """Fields with how many tools take and make them, and what a person said that they are."""
    kinds: dict[str, list[str]] = {}
    for row in store.read("fields/directed"):
        kinds.setdefault(row["field"], []).append(row["kind"])
    same: dict[str, list[str]] = {}
    for pair in store.read("fields/reviewed"):
        same.setdefault(pair["field"], []).append(pair["same"])
        same.setdefault(pair["same"], []).append(pair["field"])
    rows = store.read("fields/overview")
    rows = [
        {**row, "same": sorted(same.get(row["field"], [])), "kinds": kinds.get(row["field"], [])}
        for row in rows
    ]
    if unproduced:
        rows = [row for row in rows if row["required"] and not row["producers"]]
    return rows
