"""Generated libraries of any size, the same for the same seed: for measuring speed, not quality."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from spm.registry.models import InputSpec, Manifest, OutputSpec, ServiceSpec, Step, ToolSpec, Trace

# So many that a word of a request stands in as many tools, by share, as in ToolBench.
_VERBS = (
    "get find create update list send check convert book cancel delete search track label pay "
    "refund invite assign approve reject archive merge split move copy print share sign verify "
    "rate compare count sum sort translate schedule renew block notify export"
).split()
_NOUNS = (
    "order invoice parcel customer ticket flight room payment report contract account address "
    "appointment article badge balance budget calendar campaign card cart category channel city "
    "claim comment coupon course device discount document driver employee event expense feature "
    "form gift holiday image incident item lesson license loan location meeting member message "
    "note offer passenger photo playlist policy product project receipt recipe school"
).split()
_LINKS = ("of", "for", "that belongs to", "together with", "and tell me about")
_ENDS = ("before Friday", "and send me a short summary", "if it was not done already", "please")
_START = datetime(2026, 1, 1, tzinfo=UTC)
PER_SERVICE = 2_000


def manifests(tools: int, *, fields: int | None = None, seed: int = 0) -> Iterator[Manifest]:
    """Services of up to 2,000 tools each; three inputs and two outputs a tool, fields by Zipf."""
    chance = random.Random(seed)
    names = _field_names(fields or max(50, tools // 8))
    weights = [1 / (rank + 1) for rank in range(len(names))]
    for start in range(0, tools, PER_SERVICE):
        numbers = range(start, min(tools, start + PER_SERVICE))
        yield Manifest(
            spm=1,
            service=ServiceSpec(name=f"service{start // PER_SERVICE}"),
            tools=tuple(_tool(n, names, weights, chance) for n in numbers),
        )


def _field_names(count: int) -> list[str]:
    """The commonest fields are those that requests name: an order's number is its order_id."""
    return [
        f"{_NOUNS[i % len(_NOUNS)]}_{f'field{i}' if i >= len(_NOUNS) else 'id'}"
        for i in range(count)
    ]


def _tool(number: int, names: list[str], weights: list[float], chance: random.Random) -> ToolSpec:
    chosen = list(dict.fromkeys(chance.choices(names, weights, k=8)))
    inputs, outputs = chosen[:3], chosen[3:5]
    noun = _NOUNS[number % len(_NOUNS)]
    verb = _VERBS[number % len(_VERBS)]
    return ToolSpec(
        name=f"{verb}_{noun}_{number}",
        description=f"{verb.capitalize()} the {noun} number {number} of the generated library.",
        family=f"{noun}{number % 200}",
        inputs=tuple(InputSpec(name=n, required=i < 2) for i, n in enumerate(inputs)),
        outputs=tuple(OutputSpec(name=n) for n in outputs),
    )


def tool_names(tools: int) -> list[str]:
    """The names of the generated tools, in order."""
    return [f"{_VERBS[n % len(_VERBS)]}_{_NOUNS[n % len(_NOUNS)]}_{n}" for n in range(tools)]


def traces(tools: int, count: int, *, length: int = 6, seed: int = 0) -> Iterator[Trace]:
    """Trajectories over neighbouring tools, so that transitions repeat as they do in life."""
    chance = random.Random(seed)
    names = tool_names(tools)
    for number in range(count):
        at = chance.randrange(tools)
        path = []
        for _ in range(length):
            path.append(names[at])
            at = (at + chance.choice((1, 1, 2, 3, 7, 31))) % tools
        yield Trace(
            trace_id=f"generated-{number}",
            request=f"Generated request {number} about {path[-1].replace('_', ' ')}",
            steps=tuple(Step(tool=name) for name in path),
            source="generated",
            time=_START + timedelta(minutes=number),
        )


def requests(count: int, *, seed: int = 0) -> Iterator[str]:
    """Requests of one to three clauses and some twenty words, in the words of the tools."""
    chance = random.Random(seed)
    for _ in range(count):
        parts = [_clause(chance) for _ in range(chance.choice((1, 2, 2, 3)))]
        text = ", then ".join(parts)
        yield f"{text[0].upper()}{text[1:]}, {chance.choice(_ENDS)}."


def _clause(chance: random.Random) -> str:
    noun, other = chance.sample(_NOUNS, 2)
    return (
        f"{chance.choice(_VERBS)} the {noun} {chance.randrange(100, 100_000)} "
        f"{chance.choice(_LINKS)} the {other}"
    )
