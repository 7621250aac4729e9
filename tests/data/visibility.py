"""Random rights of tools and callers, and every question that a restricted caller can ask.

`answers` asks all of them: each operation of the service's OpenAPI description, each command with
`--as`, `--scopes` or `--read-only`, each tool of the MCP server. A new one is answered here, or it
is listed with the reason why not; `unasked` says which are neither.
"""

from __future__ import annotations

import io
import json
import random
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

import anyio
import mcp
import numpy as np
from hypothesis import strategies as st

from spm.cli.main import COMMANDS, LazyCommand, main
from spm.gnn.snapshot.lifecycle import Snapshots
from spm.gnn.snapshot.snapshot import AccessClasses
from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.access.rules import sees, visible_tools
from spm.registry.catalog.field_decisions import merge
from spm.registry.menus import frozen
from spm.registry.models import Manifest, Trace
from spm.registry.registry import Registry
from spm.registry.settings import Settings
from spm.service.mcp.registry_server import OFFERS, registry_server
from spm.service.settings import ServiceSettings
from spm.service.state import Service
from tests.data.frontiers import FIELDS, WORDS, World
from tests.data.scripted import serving as scripted
from tests.support.serving import Visitor, serving

Json = dict[str, Any]
OWNERS = ("", "a", "b", "Ä")
SCOPES = ("x", "y", "x,y", "größe")
RIGHTS = st.fixed_dictionaries(
    {
        "visibility": st.sampled_from(["public", "team", "private"]),
        "owner": st.sampled_from(OWNERS),
        "scopes": st.lists(st.sampled_from(SCOPES), unique=True, max_size=3),
        "effects": st.sampled_from(["read", "write", "destructive"]),
        "status": st.sampled_from(["active"] * 4 + ["deprecated", "quarantined"]),
    }
)
CALLERS = st.builds(
    Caller,
    st.sampled_from([None, *OWNERS, "nobody"]),
    st.none() | st.lists(st.sampled_from([*SCOPES, "z"]), unique=True, max_size=3).map(tuple),
    st.booleans(),
)


# -- the rule: Cypher, Python and the mask of a snapshot -------------------------------------------


def check_rule(registry: Registry, rights: list[Json], callers: list[Caller]) -> None:
    """Register tools with these rights; the engine, the rule and the mask have to agree."""
    tools = [{"name": f"t{at:03}", "description": "x", **one} for at, one in enumerate(rights)]
    manifest = {"spm": 1, "service": "s", "tools": tools}
    registry.register(Manifest.model_validate(manifest))
    ids = [f"s/{tool['name']}" for tool in tools]
    cards = registry.store.read("tools/show", ids=ids)
    active = sorted(registry.store.read("library/tools"), key=lambda row: str(row["id"]))
    classes = AccessClasses.of(active)
    for caller in callers:
        expected = [
            tool for tool, right in zip(ids, rights, strict=True) if _by_hand(right, caller)
        ]
        queried = registry.store.read("access/tools", **caller.params())
        assert [row["id"] for row in queried] == expected, caller
        assert [card["id"] for card in cards if sees(card, caller)] == expected, caller
        assert sorted(visible_tools(registry.store, ids, caller)) == expected, caller
        mask = classes.visible(caller)
        assert mask.dtype == np.bool_
        assert [row["id"] for row, seen in zip(active, mask, strict=True) if seen] == expected


def _by_hand(right: Json, caller: Caller) -> bool:
    """The rule once more, in other words."""
    if right["status"] != "active":
        return False
    if caller.read_only and right["effects"] in ("write", "destructive"):
        return False
    if caller.scopes is not None and any(scope not in caller.scopes for scope in right["scopes"]):
        return False
    return caller.team in (None, right["owner"]) or right["visibility"] == "public"


# -- generated registries with something to hide ---------------------------------------------------

SECRET = "zebra"  # a word that only hidden tools have
# Names of tools that are hidden because they change something. A caller that may only read may
# mention them, so that they are suggested for names that are nearly theirs.
WRITER = "quagga"
OF_OTHERS: list[Json] = [
    {"visibility": "private", "owner": "b"},
    {"visibility": "team", "owner": "b"},
    {"visibility": "private"},
]
BY_SCOPE: list[Json] = [{"scopes": ["y"]}, {"scopes": ["x", "y"]}]
CHANGING: list[Json] = [{"effects": "write"}, {"effects": "destructive"}]
INACTIVE: list[Json] = [{"status": "deprecated"}, {"status": "quarantined"}]
OWN: list[Json] = [{"visibility": "private", "owner": "a"}, {"visibility": "team", "owner": "a"}]


@dataclass(frozen=True)
class Kind:
    """A caller, with rights of tools that it sees and of tools that it does not."""

    caller: Caller
    seen: list[Json]
    hidden: list[Json]


KINDS = {
    "team": Kind(Caller("a"), [{}, *OWN, *BY_SCOPE, *CHANGING], [*OF_OTHERS, *INACTIVE]),
    "scoped": Kind(Caller(scopes=("x",)), [{}, {"scopes": ["x"]}, *OF_OTHERS, *CHANGING], BY_SCOPE),
    "reader": Kind(Caller(read_only=True), [{}, *OF_OTHERS, *BY_SCOPE], CHANGING),
    "all": Kind(
        Caller("a", ("x",), read_only=True),
        [{}, *OWN, {"scopes": ["x"]}],
        [*OF_OTHERS, *BY_SCOPE, *CHANGING, *INACTIVE],
    ),
}


@dataclass
class Case:
    """A registry in two states: without hidden tools and the trajectories through them, and with.

    Attributes:
        caller: who asks.
        seen: the first state.
        hidden: the tools that come with the second.
        through: the trajectories that come with them.
        pairs: fields of hidden tools that are then declared to be the same as visible ones.
        mapped: whether menus come from a snapshot; else the database answers.
    """

    caller: Caller
    seen: World
    hidden: list[Json]
    through: list[Json]
    pairs: list[tuple[str, str]]
    mapped: bool
    names: list[str]

    @property
    def probe(self) -> str:
        """A hidden tool that may not even be mentioned, or one that does not exist."""
        silent = [tool["name"] for tool in self.hidden if tool["name"].startswith(SECRET)]
        return str(silent[0]) if silent else f"{SECRET}_none"


def case_of(kind: Kind, seed: int) -> Case:
    """Visible and hidden tools of the same services, families, fields and words."""
    rng = random.Random(seed)
    seen = [{**_tool(rng, f"t{at}"), **rng.choice(kind.seen)} for at in range(rng.randint(6, 14))]
    hidden = []
    for at in range(rng.randint(4, 12)):
        rights = rng.choice(kind.hidden)
        name = f"{WRITER if rights in CHANGING else SECRET}_{at}"
        tool = {**_tool(rng, name), **rights}
        tool["description"] += f" {SECRET}"
        tool["family"] = rng.choice([tool["family"], SECRET])
        tool["inputs"].append({"name": f"{SECRET}_id"})
        tool["outputs"].append({"name": f"a_{SECRET}"})  # before all others, in their order
        hidden.append(tool)
    names, secret = ([f"{t['service']}/{t['name']}" for t in part] for part in (seen, hidden))
    traces = [_trace(rng, f"j{at}", names) for at in range(rng.randint(4, 12))]
    through = [_trace(rng, f"h{at}", [*names, *secret]) for at in range(rng.randint(4, 12))]
    for trace in through:  # a step that failed did no work: such a trajectory hides nothing
        step = {"tool": rng.choice(secret), "ok": True}
        trace["steps"].insert(rng.randint(0, len(trace["steps"])), step)
    used = sorted({part["name"] for tool in seen for part in (*tool["inputs"], *tool["outputs"])})
    one, two, three = rng.sample(used, 3)
    pairs = [(f"{SECRET}_id", one), (f"{SECRET}_id", two), (f"a_{SECRET}", three)]
    world = World(seen, traces, [tuple(sorted(rng.sample(used, 2)))])
    return Case(kind.caller, world, hidden, through, pairs, seed % 2 == 0, names)


def _tool(rng: random.Random, name: str) -> Json:
    inputs, outputs = (rng.sample(FIELDS, rng.randint(0, 3)) for _ in range(2))
    return {
        "service": rng.choice(["shop", "mail"]),
        "name": name,
        "description": " ".join(rng.choices(WORDS, k=rng.randint(1, 4))),
        "family": rng.choice(["", "order", "mail"]),
        "inputs": [{"name": part, "required": rng.random() < 0.7} for part in inputs],
        "outputs": [{"name": part} for part in outputs],
    }


def _trace(rng: random.Random, name: str, tools: list[str]) -> Json:
    return {
        "trace_id": name,
        "request": " ".join(rng.choices([*WORDS, SECRET], k=rng.randint(0, 4))),
        "steps": [
            {"tool": tool, "ok": rng.random() < 0.8}
            for tool in rng.choices(tools, k=rng.randint(1, 4))
        ],
        "success": rng.random() < 0.9,
    }


def fill(registry: Registry, case: Case, encoder: Any, *, hidden: bool) -> None:
    """Bring a registry into one of the two states; the second comes after the first."""
    tools = [*case.seen.tools, *(case.hidden if hidden else [])]
    for service in sorted({tool["service"] for tool in tools}):
        specs = [
            {key: value for key, value in tool.items() if key != "service"}
            for tool in tools
            if tool["service"] == service
        ]
        registry.register(Manifest.model_validate({"spm": 1, "service": service, "tools": specs}))
    traces = case.through if hidden else case.seen.traces
    registry.import_traces([Trace.model_validate(trace) for trace in traces])
    for first, second in case.pairs if hidden else case.seen.same:
        merge(registry.store, first, second, "operator")
    registry.encode(encoder)


# -- every question --------------------------------------------------------------------------------

# Operations of the service that are not asked, with the reason.
NOT_ASKED = {
    "GET /healthz": "says nothing about tools",
    "GET /readyz": "says nothing about tools",
    "GET /metrics": "counts everything, which is what its permission is for",
    "POST /v1/sources": "writes; service names are one space, and one of others is refused",
}
# Commands with --as, --scopes or --read-only that are not run, with the reason.
NOT_RUN = {
    "mcp": "serves the tools that `OFFERS` names, which are asked here",
    "tools access": "sets what tools ask for; who reads the registry's store sees all of it",
    "tools register": "registers; its --scopes are what the tools ask for",
    "tokens create": "makes a token; those are how the service is asked here",
}
ISO = "%Y-%m-%dT%H:%M:%SZ"
_TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")


def http_questions(case: Case) -> list[tuple[str, str, Any]]:
    """Method, path and body."""
    first, last, probe = case.names[0], case.names[-1], case.probe
    service = first.partition("/")[0]
    text = f"{WORDS[0]} {WORDS[1]} with {FIELDS[0]} 4821"
    golden = [{"request": text, "path": [first]}, {"request": text, "path": [probe]}]
    traces = [{"trace_id": "own", "request": text, "steps": [first, last]}]
    unknown = [{"trace_id": "bad", "request": text, "steps": [first, probe]}]
    return [
        ("POST", "/v1/menus", {"request": text}),
        ("POST", "/v1/menus", {"request": f"{SECRET} {WORDS[2]}", "format": "markdown"}),
        ("POST", "/v1/menus", {"request": text, "done": [last], "format": "openai"}),
        ("POST", "/v1/menus", {"request": text, "done": [probe]}),
        ("POST", "/v1/menus", {"request": text, "state": [f"{SECRET}_id", FIELDS[1]]}),
        ("POST", "/v1/menus", {"request": text, "read_only": True, "k": 2, "token_budget": 300}),
        ("POST", "/v1/menus/why-not", {"request": text, "tool": last, "k": 1}),
        ("POST", "/v1/menus/why-not", {"request": text, "tool": probe}),
        ("GET", "/v1/tools?limit=1000", None),
        ("GET", f"/v1/tools?q={WORDS[0]}%20{SECRET}", None),
        ("GET", f"/v1/tools?service={service}", None),
        ("GET", "/v1/tools?family=order", None),
        ("GET", f"/v1/tools?family={SECRET}", None),
        ("GET", f"/v1/tools?field={FIELDS[0]}", None),
        ("GET", f"/v1/tools?field={SECRET}_id", None),
        ("GET", f"/v1/tools?after={probe}", None),
        ("GET", f"/v1/tools/{first}", None),
        ("GET", f"/v1/tools/{probe}", None),
        ("GET", "/v1/fields", None),
        ("GET", "/v1/fields?unproduced=true", None),
        ("GET", f"/v1/paths?from={first}&to={last}", None),
        ("GET", f"/v1/paths?have={FIELDS[0]}&to={last}", None),
        ("GET", f"/v1/paths?have={SECRET}_id&to={last}", None),
        ("GET", f"/v1/paths?from={first}&to={probe}", None),
        ("GET", f"/v1/impact/{first}", None),
        ("GET", f"/v1/impact/{FIELDS[0]}?kind=field", None),
        ("GET", f"/v1/impact/{probe}", None),
        ("GET", f"/v1/impact/{SECRET}_id", None),
        ("GET", "/v1/atlas", None),
        ("GET", f"/v1/atlas?visible={SECRET}_id&visible={FIELDS[0]}", None),
        ("GET", "/v1/sources", None),
        ("POST", "/v1/cypher", {"query": "MATCH (t:Tool) RETURN count(t) AS n"}),
        ("POST", "/v1/cypher", {"saved": "effects"}),
        ("POST", "/v1/cypher", {"saved": "consumers_of", "params": {"field": FIELDS[0]}}),
        ("POST", "/v1/cypher", {"saved": "feeds", "params": {"tool": first}}),
        ("POST", "/v1/cypher", {"saved": "feeds", "params": {"tool": probe}}),
        ("POST", "/v1/cypher", {"saved": "most_travelled"}),
        ("POST", "/v1/cypher", {"saved": "hubs"}),
        ("POST", "/v1/cypher", {"saved": "destructive"}),
        ("POST", "/v1/cypher", {"saved": "producers_of", "params": {"field": FIELDS[0]}}),
        ("GET", "/v1/graph", None),
        ("GET", "/v1/graph?family=order", None),
        ("GET", f"/v1/graph?field={FIELDS[0]}", None),
        ("GET", f"/v1/graph?tool={first}", None),
        ("GET", f"/v1/graph?tool={probe}", None),
        ("GET", "/v1/names?q=o", None),
        ("GET", f"/v1/names?q={SECRET}", None),
        ("POST", "/v1/check", golden),
        ("POST", "/v1/traces", traces),
        ("POST", "/v1/traces", unknown),
        ("POST", "/v1/traces?skip_unknown=true", unknown),
        ("POST", "/v1/menus/frozen", {"request": text}),
        ("POST", "/v1/menus/frozen", {"request": text, "done": [probe]}),
        ("GET", "/v1/menus/frozen", None),
        ("GET", "/v1/menus/frozen/{menu}", None),
        ("GET", f"/v1/menus/frozen/{{menu}}/search?q={WORDS[0]}&format=openai", None),
        ("DELETE", "/v1/menus/frozen/{menu}", None),
    ]


def mcp_questions(case: Case) -> list[tuple[str, Json]]:
    """Tools of the registry's MCP server with arguments."""
    first, last, probe = case.names[0], case.names[-1], case.probe
    text = f"{WORDS[3]} {WORDS[0]} with {FIELDS[0]} 4821"
    return [
        ("build_menu", {"request": text, "format": "anthropic"}),
        ("build_menu", {"request": text, "done": [probe]}),
        ("explain_menu", {"request": text}),
        ("explain_menu", {"request": text, "tool": last, "k": 1}),
        ("explain_menu", {"request": text, "tool": probe}),
        ("find_path", {"from": first, "to": last}),
        ("find_path", {"have": [FIELDS[0]], "to": last}),
        ("find_path", {"have": [f"{SECRET}_id"], "to": probe}),
        ("search_tools", {"query": f"{WORDS[0]} {SECRET}", "format": "mcp"}),
        ("search_tools", {"query": WORDS[1], "family": SECRET}),
    ]


def cli_questions(case: Case, agent: str) -> list[list[str]]:
    """Commands with arguments, but for the caller and the store."""
    text = f"{WORDS[4]} {WORDS[0]} with {FIELDS[0]} 4821"
    model = ["--base-url", agent, "--model", "scripted"]
    return [
        ["menu", text],
        ["menu", text, "--json", "--state", f"{SECRET}_id", "--without", FIELDS[0]],
        ["menu", text, "--explain", "-k", "3"],
        ["menu", text, "--format", "mcp", "--done", case.names[0]],
        ["menu", text, "--done", case.probe],
        ["menu", text, "--why-not", case.names[-1], "-k", "1"],
        ["search", text],
        ["search", f"{SECRET} {WORDS[2]}", "--json", "-k", "50"],
        ["menus", "freeze", text, "--json"],
        ["menus", "list", "--json"],
        *[
            ["agent", "run", text, *model, "--menu", menu]
            for menu in ("learned", "dense", "bm25", "all")
        ],
    ]


def unasked(case: Case, client: Visitor) -> list[str]:
    """Operations, commands and tools that nobody asks and no list excuses."""
    described = client.get("/openapi.json").json()["paths"]
    operations = {f"{method.upper()} {path}" for path in described for method in described[path]}
    asked = {(method, path.partition("?")[0]) for method, path, _ in http_questions(case)}
    covered = {name for name in operations if any(_fits(name, *one) for one in asked)}
    commands = {" ".join(path) for path, options in _commands() if options & _CALLER_OPTIONS}
    run = {name for name in commands for q in cli_questions(case, "") if _begins(q, name)}
    tools = OFFERS.keys() - {tool for tool, _ in mcp_questions(case)}
    stale = [*(NOT_ASKED.keys() - operations), *(NOT_RUN.keys() - commands)]
    left = [*(operations - covered - NOT_ASKED.keys()), *(commands - run - NOT_RUN.keys())]
    return sorted([*left, *tools, *stale])


_CALLER_OPTIONS = {"--as", "--scopes", "--read-only"}


def _fits(operation: str, method: str, path: str) -> bool:
    pattern = re.sub(r"\\\{\w+\\\}", ".+", re.escape(operation))
    exact = f"{method} {path}"
    if "{" in path:
        return operation == exact
    return bool(re.fullmatch(pattern, exact)) and not path.startswith("/v1/menus/frozen/")


def _begins(question: list[str], command: str) -> bool:
    return question[: len(command.split())] == command.split()


def _commands() -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Every command of `spm` with its options."""
    for name, (place, help) in COMMANDS.items():
        if name == "bench":
            continue  # for maintainers, outside the product
        command = LazyCommand(name, place, help).load()
        parts = getattr(command, "commands", None)
        for path, one in {(name, n): c for n, c in (parts or {}).items()}.items() or [
            ((name,), command)
        ]:
            yield path, {option for parameter in one.params for option in parameter.opts}


@dataclass(frozen=True)
class Place:
    """A store, for the library and for the command line."""

    settings: Settings
    store: str

    def open(self) -> Registry:
        return Registry.open(self.settings)


@contextmanager
def ticking() -> Iterator[None]:
    """Whatever is frozen later is listed later, also within a second of real time."""
    began, ticks = datetime.now(UTC) - timedelta(days=1), count()
    with patch.object(frozen, "now", lambda: f"{began + timedelta(seconds=next(ticks)):{ISO}}"):
        yield


@contextmanager
def database_answers(always: bool) -> Iterator[None]:
    """Menus without snapshots."""
    if not always:
        yield
        return
    with patch.object(Snapshots, "made", return_value=None):
        yield


def answers(place: Place, case: Case, secret: str) -> dict[str, bytes]:
    """Ask everything, everywhere."""
    found = _in_terminal(place, case)  # what it freezes is there in both states then
    with serving(Service(ServiceSettings(seconds=60), place.settings)) as client:
        assert unasked(case, client) == []
        found |= _over_http(client, http_questions(case), secret)
        found |= anyio.run(_over_mcp, client.service, case)
    return found


def _over_http(
    client: Visitor, questions: list[tuple[str, str, Any]], secret: str
) -> dict[str, bytes]:
    found = {}
    headers = {"Authorization": f"Bearer {secret}"}
    menu = ""
    for at, (method, path, body) in enumerate(questions):
        given: dict[str, Any] = {"json": body}
        if isinstance(body, list):
            given = {"content": "\n".join(map(json.dumps, body))}
        answer = client.request(method, path.replace("{menu}", menu), headers=headers, **given)
        assert answer.status_code < 500, (path, answer.text)
        if path == "/v1/menus/frozen" and answer.status_code == 201:
            menu = answer.json()["id"]
        text = b"%d %s" % (answer.status_code, answer.content)
        found[f"{at} {method} {path} {json.dumps(body)}"] = _TIME.sub(b"TIME", text)
    return found


async def _over_mcp(desk: Service, case: Case) -> dict[str, bytes]:
    found = {}
    server = registry_server(desk, lambda context: case.caller)
    async with mcp.Client(server) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed == list(OFFERS)
        for at, (tool, arguments) in enumerate(mcp_questions(case)):
            answer = await client.call_tool(tool, arguments)
            found[f"{at} {tool} {arguments}"] = answer.model_dump_json().encode()
    return found


def _in_terminal(place: Place, case: Case) -> dict[str, bytes]:
    found = {}
    who = [*(["--as", case.caller.team] if case.caller.team else [])]
    rights = [*(["--scopes", ",".join(case.caller.scopes)] if case.caller.scopes else [])]
    rights += ["--read-only"] if case.caller.read_only else []
    with scripted() as model:
        for at, question in enumerate(cli_questions(case, model.url)):
            known = who if question[:2] == ["menus", "list"] else [*who, *rights]
            done = b"%d\n%s\n%s" % run_command([*question, *known, "--store", place.store])
            key = " ".join(word for word in question if word != model.url)
            if question[0] == "agent":  # it prints seconds; what counts is what the model is shown
                done = json.dumps(model.bodies, sort_keys=True).encode()
                model.bodies.clear()
            found[f"{at} spm {key}"] = _TIME.sub(b"TIME", done)
    return found


def run_command(arguments: list[str]) -> tuple[int, bytes, bytes]:
    """Code, output and messages of a command."""
    out, err = io.BytesIO(), io.BytesIO()
    with (
        patch.object(sys, "stdout", io.TextIOWrapper(out, "utf-8", write_through=True)),
        patch.object(sys, "stderr", io.TextIOWrapper(err, "utf-8", write_through=True)),
        patch.dict("os.environ", {"COLUMNS": "200", "OPENAI_API_KEY": "none"}),
    ):
        return main(arguments), out.getvalue(), err.getvalue()


def check_case(place: Place, case: Case, encoder: Any) -> None:
    """What is hidden changes not a byte of any answer."""
    with database_answers(not case.mapped), ticking():
        with place.open() as registry:
            fill(registry, case, encoder, hidden=False)
            may = ("read", "traces")
            secret = api_tokens.create(registry.store, "t", case.caller, may=may)[0]
        with serving(Service(ServiceSettings(seconds=60), place.settings)) as client:
            # What is imported by the way is known in both states.
            traces = [question for question in http_questions(case) if "/v1/traces" in question[1]]
            _over_http(client, traces, secret)
        before = answers(place, case, secret)
        with place.open() as registry:
            fill(registry, case, encoder, hidden=True)
            names = {row["name"] for row in registry.tools()}
        assert {tool["name"] for tool in case.hidden} <= names
        after = answers(place, case, secret)
    differing = [
        f"{key}\n  without: {before[key]!r}\n  with:    {after[key]!r}"
        for key in before
        if before[key] != after[key]
    ]
    assert not differing, "\n".join([f"{len(differing)} of {len(before)} differ:", *differing])
    fine = sum(answer.startswith((b"200", b"201", b"204")) for answer in before.values())
    assert fine > 25, fine  # most questions have a real answer


def embedded(folder: Path) -> Place:
    """A store in a folder."""
    return Place(Settings(str(folder)), str(folder))
