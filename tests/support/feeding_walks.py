"""Random lives of a registry: every kind of write that FEEDS rests on, in any order.

Few services, names and fields, so that writes touch each other: what one service makes another
takes, and what a person decided holds for tools that come and go.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from spm.registry.access.settings import Access
from spm.registry.catalog.effects_decisions import override
from spm.registry.catalog.field_decisions import declare, merge, retract, split
from spm.registry.catalog.lifecycle import approve, deprecate
from spm.registry.catalog.registration import Link
from spm.registry.catalog.tool_access import set_access
from spm.registry.errors import InputError, SpmError
from spm.registry.map.resources import Given, Identity, Reading, Verb
from spm.registry.models import Manifest, Trace
from spm.registry.registry import Registry

Step = tuple[str, Callable[[Registry], Any]]
SERVICES = ("east", "north", "west")
NOUNS = ("order", "user", "ticket")
# The last two say nothing of what they do: then effects do.
TOOLS = (*(f"{verb}_{noun}" for verb in ("list", "get", "create", "close") for noun in NOUNS),
         "overview", "gadget")  # fmt: skip
FIELDS = ("order_id", "user_id", "ticket_id", "assignee_id", "client_number", "session_token",
          "email", "subject")  # fmt: skip
VERBS: tuple[Verb, ...] = ("list", "search", "get", "create", "update", "delete", "act")
EFFECTS = ("read", "write", "destructive")
TEAMS, SCOPES = ("a", "b"), ("x", "y")


def walk(seed: int, length: int = 14) -> Iterator[Step]:
    """The steps of one life: what each is called, and what it does."""
    chance = random.Random(seed)
    for service in SERVICES[:2]:
        yield _register(chance, service)
    others = (_register, _register, _remove, _decide, _decide, _decide, _trace, _effects, _access,
              _status)  # fmt: skip
    for _ in range(length):
        yield chance.choice(others)(chance)


def _register(chance: random.Random, service: str = "") -> Step:
    service = service or chance.choice(SERVICES)
    names = chance.sample(TOOLS, chance.choice((1, 2, 3, 8)))
    manifest = Manifest.model_validate(
        {"spm": 1, "service": service, "tools": [_tool(chance, name) for name in names]}
    )
    readings = {name: _reading(chance, manifest) for name in names}
    given = readings if chance.random() < 0.4 else None
    links = _links(chance, manifest) if chance.random() < 0.3 else []
    said = f"register {manifest.model_dump_json(exclude_defaults=True)} {given} {links}"
    return said, lambda r: r.register(manifest, readings=given, links=links)


def _tool(chance: random.Random, name: str) -> dict[str, Any]:
    inputs = chance.sample(FIELDS, chance.choice((0, 1, 2, 3)))
    outputs = chance.sample(FIELDS, chance.choice((0, 0, 1, 2)))
    return {
        "name": name,
        "effects": chance.choice(EFFECTS),
        "inputs": [{"name": field, "required": chance.random() < 0.6} for field in inputs],
        "outputs": [{"name": field} for field in outputs],
        **_rights(chance),
    }


def _rights(chance: random.Random) -> dict[str, Any]:
    """Who sees a tool: mostly everybody."""
    return {
        "visibility": chance.choice(("public", "public", "team")),
        "owner": chance.choice(TEAMS),
        "scopes": chance.choice(((), (), ("x",), ("y",), ("x", "y"))),
        "status": chance.choice((*["active"] * 6, "deprecated", "quarantined")),
    }


def _reading(chance: random.Random, manifest: Manifest) -> Reading:
    """What an importer may have read, sensible or not."""
    takes = {
        field: Identity(chance.choice(NOUNS), chance.choice(("", "", "assignee")))
        for field in chance.sample(FIELDS, 5)
    }
    gives = {
        (noun, role): Given(noun, role, chance.random() < 0.5)
        for noun in chance.sample(NOUNS, chance.choice((0, 1, 2)))
        for role in [chance.choice(("", "", "assignee"))]
    }
    resource = chance.choice((*NOUNS, ""))
    return Reading(chance.choice(VERBS), resource, takes, tuple(gives.values()))


def _links(chance: random.Random, manifest: Manifest) -> list[Link]:
    takers = [(tool.name, one.name) for tool in manifest.tools for one in tool.inputs]
    if not takers:
        return []
    consumer, field = chance.choice(takers)
    return [Link(chance.choice(manifest.tools).name, "anything", consumer, field)]


def _remove(chance: random.Random) -> Step:
    place = chance.random()

    def work(registry: Registry) -> None:
        if tools := sorted(row["id"] for row in registry.tools()):
            registry.remove(tools[int(place * len(tools))], force=True)

    return f"remove {place}", work


def _decide(chance: random.Random) -> Step:
    first, second = chance.sample(FIELDS, 2)
    kind = chance.choice(("merge", "split", "declare", "retract", "declare"))

    def work(registry: Registry) -> None:
        with suppress(InputError):  # a field that no tool has now, or nothing to take back
            if kind in ("merge", "declare"):
                {"merge": merge, "declare": declare}[kind](registry.store, first, second, "Zoë")
            else:
                {"split": split, "retract": retract}[kind](registry.store, first, second)

    return f"{kind} {first} {second}", work


def _trace(chance: random.Random) -> Step:
    """Two calls, the second of which is handed what the first returned, several times."""
    places, number = (chance.random(), chance.random()), chance.random()
    output, input_ = chance.choice(FIELDS), chance.choice(FIELDS)

    def work(registry: Registry) -> None:
        tools = sorted(row["id"] for row in registry.tools())
        if not tools:
            return
        first, second = (tools[int(place * len(tools))] for place in places)
        registry.import_traces(
            Trace.model_validate(
                {
                    "trace_id": f"t-{number}-{again}",
                    "request": "do it",
                    "steps": [
                        {"tool": first, "result": {output: f"value-{number}-{again}"}},
                        {"tool": second, "arguments": {input_: f"value-{number}-{again}"}},
                    ],
                }
            )
            for again in range(3)
        )

    return f"trace {places} {output} {input_}", work


def _access(chance: random.Random) -> Step:
    pattern, rights = chance.choice((*TOOLS, "east/*", "*")), _rights(chance)
    given = Access(rights["owner"], rights["visibility"], rights["scopes"])

    def work(registry: Registry) -> None:
        with suppress(SpmError):  # no tool of this name
            set_access(registry.store, pattern, given)

    return f"access {pattern} {given}", work


def _status(chance: random.Random) -> Step:
    place, back = chance.random(), chance.random() < 0.5

    def work(registry: Registry) -> None:
        rows = [row for row in registry.tools() if back == (row["status"] == "quarantined")]
        if tools := sorted(row["id"] for row in rows):
            tool = tools[int(place * len(tools))]
            if back:
                approve(registry.store, [tool], "Zoë")
            else:
                deprecate(registry.store, tool)

    return f"{'approve' if back else 'deprecate'} {place}", work


def _effects(chance: random.Random) -> Step:
    pattern = chance.choice((*TOOLS, "overview", "gadget", "east/*", "*"))
    effects: Any = chance.choice((*EFFECTS, None))

    def work(registry: Registry) -> None:
        with suppress(InputError):  # no tool of this name
            override(registry.store, pattern, effects, by="Zoë", because="a walk")

    return f"effects {pattern} {effects}", work
