"""What comes in, on both engines: the same rows after the same life."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from spm.registry.access.settings import Access
from spm.registry.catalog import field_decisions, field_suggestions, lint_sources
from spm.registry.catalog.effects_decisions import decisions, override
from spm.registry.catalog.lifecycle import approve, deprecate, difference, history
from spm.registry.catalog.registration import Link, preview
from spm.registry.catalog.tool_access import reset_access, set_access, show_access
from spm.registry.errors import InputError, UnknownTool, VersionConflict
from spm.registry.importers.detection import read_source
from spm.registry.models import Manifest, Trace
from spm.registry.registry import Registry
from spm.registry.settings import Settings
from spm.registry.store import schema
from spm.registry.traces import statistics
from spm.registry.traces.trace_file import TraceFile
from spm.registry.traces.trace_origin import with_token
from tests.support import graphs

pytestmark = pytest.mark.neo4j

DATA = Path(__file__).resolve().parents[2] / "data" / "formats"
MOMENTS = ("revision", "at", "updated", "effects_at")
MOMENT = datetime(2026, 3, 2, tzinfo=UTC)
Both = Callable[[Callable[[Registry], Any]], Any]
READS = (
    "tools/names", "tools/waiting", "fields/overview", "fields/vocabulary", "fields/reviewed",
    "fields/observed", "traces/flow_ages", "traces/summary", "traces/sources",
    "traces/tools", "traces/ages", "state/counts", "effects/tools",
)  # fmt: skip


def _suggestions(registry: Registry, encode: Any) -> Any:
    return field_suggestions.suggest(registry.store, encode, minimum=0.1)


@pytest.fixture
def registries(neo4j_empty: Any, tmp_path: Path) -> Iterator[list[Registry]]:
    with (
        Registry.open(Settings(str(tmp_path / "embedded"))) as embedded,
        Registry.open(neo4j_empty.settings()) as remote,
    ):
        yield [embedded, remote]


@pytest.fixture
def both(registries: list[Registry]) -> Both:
    """Do the same on both engines, and see that the answers and the graphs are the same."""

    def act(work: Callable[[Registry], Any]) -> Any:
        with graphs.frozen():
            answers = [plain(work(registry)) for registry in registries]
        assert answers[0] == answers[1]
        for name in READS:
            embedded, remote = (registry.store.read(name) for registry in registries)
            assert exact(embedded) == exact(remote), name
        assert edges(registries[0]) == edges(registries[1])
        return answers[0]

    return act


def plain(answer: Any) -> Any:
    """Without what is counted differently, and without the moment of an approval."""
    if dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        answer = dataclasses.asdict(answer)
    if isinstance(answer, dict):
        return {k: plain(v) for k, v in answer.items() if k not in MOMENTS}
    return [plain(one) for one in answer] if isinstance(answer, list) else answer


def exact(rows: Any) -> str:
    return json.dumps(plain(rows), ensure_ascii=False)


def edges(registry: Registry) -> str:
    """All relationships but for reviews, which carry the moment they were made.

    And but for who holds a word, which Neo4j alone keeps in its graph.
    """
    found = []
    for kind, (first, second, _) in schema.RELATIONSHIPS.items():
        if kind not in ("SAME_AS", "HELD_BY"):
            text = (
                f"MATCH (a:{first})-[e:{kind}]->(b:{second}) "
                f"RETURN a.{key(first)} AS a, e, b.{key(second)} AS b"
            )
            found += sorted(map(exact, registry.cypher(text).rows))
    return "\n".join(found)


def key(label: str) -> str:
    return "name" if label in ("Service", "Family", "Field") else "id"


def mail(*tools: dict[str, Any]) -> Manifest:
    return Manifest.model_validate({"spm": 1, "service": "mail", "tools": tools})


def tool(name: str, text: str = "one", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": text, **more}


def state(registry: Registry) -> dict[str, str]:
    return {row["id"]: row["status"] for row in registry.tools()}


def test_every_source_is_registered_alike_and_the_second_time_costs_nothing(both: Both) -> None:
    sources = [
        read_source(str(DATA / name))
        for name in (
            "openapi/shop-3.0.yaml", "openapi/shop-3.1.yaml", "mcp/2026-07-28.json",
            "functions/openai-responses.json",
        )
    ]  # fmt: skip
    first = both(lambda r: [r.add(source) for source in sources])
    assert all(result["added"] for result in first)

    def again(registry: Registry) -> Any:
        before = registry.status()
        found = [registry.add(source) for source in sources]
        assert registry.status() == before
        return found

    assert not any(result["added"] or result["changed"] for result in both(again))
    assert both(lambda r: lint_sources.judge(r.store, []))


def test_access_that_people_set_is_alike_and_survives(both: Both) -> None:
    def mail(*tools: dict[str, Any]) -> Manifest:
        return Manifest.model_validate({"spm": 1, "service": "mail", "tools": tools})

    both(lambda r: r.register(mail(tool("send"), tool("read"))))
    given = Access("support", "team", ("a", "b"))
    assert both(lambda r: set_access(r.store, "mail/*", given)) == ["mail/read", "mail/send"]
    assert both(lambda r: set_access(r.store, "send", Access(scopes=()))) == ["mail/send"]
    done = both(
        lambda r: r.register(mail(tool("send", description="x"), tool("read"), tool("late")))
    )
    assert (done["added"], done["reowned"]) == (["mail/late"], [])
    shown = both(lambda r: show_access(r.store))
    assert [(row["owner"], row["scopes"]) for row in shown] == [
        ("support", ["a", "b"]),
        ("support", ["a", "b"]),
        ("support", []),
    ]
    both(lambda r: _refused(r))
    assert both(lambda r: reset_access(r.store, "*")) == ["mail/late", "mail/read", "mail/send"]
    assert both(lambda r: [] if reset_access(r.store, "*") else ["nothing left"])


def _refused(registry: Registry) -> list[str]:
    before = registry.status()
    reset_access(registry.store, "read")
    with pytest.raises(InputError, match="No tool"):
        set_access(registry.store, "none/*", Access("x"))
    assert registry.status() == before
    return ["refused"]


def test_a_new_owner_is_alike_and_the_second_time_costs_nothing(both: Both) -> None:
    def owned(owner: str) -> Manifest:
        said = {"spm": 1, "service": {"name": "mail", "owner": owner}}
        return Manifest.model_validate({**said, "tools": [tool("send"), tool("read", owner="me")]})

    both(lambda r: r.register(owned("post")))
    assert both(lambda r: preview(r.store, owned("news")))["reowned"] == ["mail/send"]
    done = both(lambda r: r.register(owned("news")))
    assert (done["reowned"], done["described"]) == (["mail/send"], ["owner"])
    owners = both(lambda r: [r.show(name).tool["owner"] for name in ("send", "read")])
    assert owners == ["news", "me"]
    both(lambda r: [] if r.register(owned("news")).revision is None else [r])


def test_services_never_collide(both: Both, tmp_path: Path) -> None:
    (tmp_path / "mail.json").write_text(
        json.dumps({"tools": [{"name": "send", "inputSchema": {"type": "object"}}]})
    )
    server = read_source(str(tmp_path / "mail.json"))
    both(lambda r: r.register(mail(tool("send"))))
    assert both(lambda r: r.add(server).service) == "mail-2"
    assert both(lambda r: r.add(server).unchanged) == ["mail-2/send"]
    assert both(state) == {"mail-2/send": "active", "mail/send": "active"}


def test_the_life_of_a_tool(both: Both, encoder: Any) -> None:
    def menu(registry: Registry) -> Any:
        registry.encode(encoder)
        return [item.name for item in registry.menu("send a mail").items]

    both(lambda r: r.register(mail(tool("send"), tool("post"))))
    both(lambda r: approve(r.store, ["send", "post"], "Zoë"))
    pinned = mail(tool("send", "two", effects="write"), tool("post"), tool("new"))
    result = both(lambda r: r.register(pinned, pin=True))
    assert result["quarantined"] == ["mail/new", "mail/send"]
    assert both(menu) == ["post"]
    found = both(lambda r: difference(r.store, "send"))
    assert [c["what"] for c in found["changes"] if c["breaking"]] == ["effects"]
    both(lambda r: r.register(mail(tool("send"), tool("post")), pin=True))
    assert both(state) == {"mail/new": "quarantined", "mail/post": "active", "mail/send": "active"}
    assert both(lambda r: approve(r.store, ["new"], "Zoë")) == ["mail/new"]
    assert set(both(menu)) == {"send", "post", "new"}
    both(lambda r: deprecate(r.store, "send", "post"))
    both(lambda r: r.register(mail(tool("send", "three")), pin=True))
    assert both(state)["mail/send"] == "deprecated"
    assert both(lambda r: r.show("send").tool["successor"]) == "mail/post"
    assert "send" not in both(menu)
    both(lambda r: r.remove("send"))
    assert [row["version"] for row in both(lambda r: history(r.store, "mail/send"))] == [
        "1", "2", "3", "4",
    ]  # fmt: skip


def test_what_is_refused_is_refused_on_both_and_leaves_nothing(both: Both) -> None:
    both(lambda r: r.register(mail(tool("send", version="1"), tool("post"))))

    def refused(work: Callable[[Registry], Any], kind: type[Exception]) -> None:
        def attempt(registry: Registry) -> str:
            before = registry.status()
            with pytest.raises(kind) as error:
                work(registry)
            assert registry.status() == before
            return str(error.value)

        assert both(attempt)

    conflict = mail(tool("fresh"), tool("post", "new"), tool("send", "two", version="1"))
    refused(lambda r: r.register(conflict), VersionConflict)
    refused(lambda r: deprecate(r.store, "send", "send"), InputError)
    refused(lambda r: approve(r.store, ["send", "nobody"], "x"), UnknownTool)
    refused(lambda r: difference(r.store, "send"), InputError)


def test_links_alone_change_alike(both: Both) -> None:
    make, take = tool("make", outputs=[{"name": "basket"}]), tool("take", inputs=[{"name": "cart"}])
    link = Link("make", "basket", "take", "cart")
    both(lambda r: r.register(mail(make, take)))
    result = both(lambda r: r.register(mail(make, take), links=[link]))
    assert (result["relinked"], result["changed"]) == (["mail/make"], [])
    assert len(both(lambda r: r.paths("make", "take"))) == 1

    def again(registry: Registry) -> Any:
        before = registry.status()
        found = registry.register(mail(make, take), links=[link])
        assert registry.status() == before
        return found

    assert both(again)["relinked"] == []
    seen = Trace.model_validate(
        {"request": "x", "steps": [{"tool": "make", "result": {"cart": "c-1"}}]}
    )
    both(lambda r: r.import_traces([seen]))
    both(lambda r: r.register(mail(make, take)))
    outputs = both(lambda r: r.show("make").outputs)
    assert {row["field"]: row["evidence"] for row in outputs} == {
        "basket": "declared",
        "cart": "observed",
    }


def test_a_pin_after_an_unpinned_change_waits_alike(both: Both) -> None:
    both(lambda r: r.register(mail(tool("send"), tool("post"))))
    both(lambda r: approve(r.store, ["send", "post"], "Zoë"))
    changed = mail(tool("send", "two"), tool("post"))
    both(lambda r: r.register(changed))
    assert both(lambda r: preview(r.store, changed, pin=True).quarantined) == ["mail/send"]
    assert both(state)["mail/send"] == "active"
    assert both(lambda r: r.register(changed, pin=True).quarantined) == ["mail/send"]
    assert both(state)["mail/send"] == "quarantined"

    def refused(registry: Registry) -> str:
        with pytest.raises(InputError, match="quarantine") as error:
            deprecate(registry.store, "send", "post")
        return str(error.value)

    assert both(refused)
    assert both(state)["mail/send"] == "quarantined"


def test_values_that_flow_are_counted_alike_and_never_kept(
    both: Both, neo4j_empty: Any, encoder: Any
) -> None:
    both(
        lambda r: r.register(
            mail(tool("find"), tool("send", inputs=[{"name": "client_number"}]), tool("other"))
        )
    )

    def flowing(number: int, time: str) -> Trace:
        steps = [
            {"tool": "find", "result": {"person": [{"id": f"SECRET-{number}"}]}},
            {"tool": "other"},
            {"tool": "send", "arguments": {"client_number": f"SECRET-{number}"}},
        ]
        return Trace.model_validate(
            {"trace_id": f"t-{number}", "request": "x", "steps": steps, "time": time}
        )

    traces = [flowing(i, "2026-01-01T00:00:00Z") for i in range(4)]
    both(lambda r: r.import_traces(traces))
    both(lambda r: r.import_traces(traces))
    seen = lambda r: r.store.read("fields/observed")  # noqa: E731
    assert both(seen) == [
        {"output": "person_id", "input": "client_number", "count": 4, "weight": 4}
    ]
    both(lambda r: statistics.decay(r.store, timedelta(days=30), MOMENT))
    assert both(seen)[0]["weight"] == 1.0
    both(lambda r: r.import_traces([flowing(9, "2026-03-01T00:00:00Z")]))
    assert (both(seen)[0]["count"], both(seen)[0]["weight"]) == (5, 2.0)
    other = traces[0].model_copy(update={"request": "another"})
    assert both(lambda r: r.import_traces([other]))["differing"] == 1
    # What traces show is an edge already, and nothing is left to suggest.
    assert both(ways) == [["client_number"]]
    assert both(lambda r: field_suggestions.suggest(r.store, encoder.encode_documents)) == []
    with neo4j_empty.driver() as driver:
        held = driver.execute_query("MATCH (n) OPTIONAL MATCH (n)-[e]->() RETURN n, e").records
        kept = repr([(dict(row["n"]), dict(row["e"] or {})) for row in held])
    assert "client_number" in kept
    assert "SECRET" not in kept
    both(lambda r: r.remove("send", force=True))
    assert both(seen) == []


def test_a_trace_is_known_whoever_delivers_it(both: Both) -> None:
    both(lambda r: r.register(mail(tool("find"), tool("send"))))
    bare = trace("find", "send")
    assert both(lambda r: r.import_traces([with_token(bare, "a")]))["imported"] == 1
    for again in (bare, with_token(bare, "a"), with_token(bare, "b")):
        done = both(lambda r, again=again: r.import_traces([again]))  # type: ignore[misc]
        assert (done["imported"], done["known"], done["differing"]) == (0, 1, 0)


def test_fields_are_suggested_merged_and_split(both: Both, encoder: Any) -> None:
    made: dict[str, Any] = {"outputs": [{"name": "client_number"}], "family": "client"}
    taken: dict[str, Any] = {
        "inputs": [{"name": "customerNumbers"}, {"name": "page"}],
        "family": "letter",
    }
    both(lambda r: r.register(mail(tool("find", **made), tool("send", **taken))))
    both(lambda r: r.import_traces([trace("find", "send")]))
    for encode in (None, encoder.encode_documents):
        found = both(partial(_suggestions, encode=encode))
        assert (found[0]["output"], found[0]["input"]) == ("client_number", "customer_number")
        assert found[0]["reasons"]["flow"] == 1.0
    assert both(ways) == []
    both(lambda r: field_decisions.merge(r.store, "client_number", "customer_number", "Zoë"))
    assert both(ways) == [["customer_number"]]  # as the tool that takes it calls it
    assert both(lambda r: r.plan([], "send"))["steps"] == ["mail/find", "mail/send"]
    both(lambda r: field_decisions.split(r.store, "customer_number", "client_number"))
    assert both(ways) == []


def ways(registry: Registry) -> list[list[str]]:
    found = registry.paths("find", "send")
    return [hop.fields for path in found if path.kind == "feeds" for hop in path.hops]


def trace(*steps: Any, **more: Any) -> Trace:
    return Trace.model_validate({"request": "do it", "steps": list(steps), **more})


FILES = ["otlp.json", "otlp.jsonl", "phoenix.jsonl", "chat.jsonl", "responses.json",
         "anthropic.json"]  # fmt: skip


def test_traces_of_every_format_are_counted_once_and_hold_no_value(
    both: Both, registries: list[Registry], neo4j_empty: Any
) -> None:
    files = [TraceFile(DATA / "traces" / name) for name in FILES]
    files.append(TraceFile(DATA / "openapi" / "buy.arazzo.yaml"))
    names = sorted({step.tool for file in files for trace in file for step in trace.steps})
    both(lambda r: r.register(mail(*map(tool, names))))
    first = both(lambda r: [r.import_traces(file) for file in files])
    assert sum(done["imported"] for done in first) == 15
    outputs = both(lambda r: r.show("get_customer").outputs)
    assert {(row["evidence"], row["count"]) for row in outputs} == {("observed", 1)}
    before = [edges(registry) for registry in registries]
    both(lambda r: statistics.prune(r.store, datetime(2100, 1, 1, tzinfo=UTC)))
    again = both(lambda r: [r.import_traces(file) for file in files])
    assert sum(done["imported"] for done in again) == 0
    assert [edges(registry) for registry in registries] != before  # only the steps went
    assert both(lambda r: statistics.statistics(r.store))["trajectories"] == 15
    with neo4j_empty.driver() as driver:
        found = driver.execute_query("MATCH (n) OPTIONAL MATCH (n)-[e]->() RETURN n, e").records
        held = repr([(dict(row["n"]), dict(row["e"] or {})) for row in found])
    assert "get_customer" in held
    assert "SECRET" not in held


def test_old_evidence_fades_alike(both: Both) -> None:
    both(lambda r: r.register(mail(tool("a"), tool("b"), tool("c"))))
    times = ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", None]
    steps = [("a", "b"), ("b", "c"), ("a", "c")]
    traces = [
        trace(*s, time=t, trace_id=str(i))
        for i, (s, t) in enumerate(zip(steps, times, strict=True))
    ]
    both(lambda r: r.import_traces(traces))
    weigh = lambda r: statistics.decay(r.store, timedelta(days=30), MOMENT)  # noqa: E731
    assert both(weigh) == 3

    def near(registry: Registry) -> Any:
        return [r for r in registry.store.read("library/precedes") if r["first"] == "mail/a"]

    once = both(near)
    both(weigh)
    assert both(near) == once
    assert {row["second"]: row["count"] for row in once} == {
        "mail/b": 0.25,
        "mail/c": 1.0,
    }
    both(
        lambda r: r.import_traces([trace("a", "b", trace_id="later", time="2026-03-01T00:00:00Z")])
    )
    assert {row["second"]: row["count"] for row in both(near)}["mail/b"] == 1.25
    assert both(lambda r: statistics.prune(r.store, MOMENT)) == 3
    assert both(lambda r: statistics.statistics(r.store))["successful"] == 4


def test_decisions_about_effects_are_the_same_on_both_engines(both: Both) -> None:
    """Also what a caller that may only read sees: nothing that does not only read."""

    def seen(registry: Registry) -> Any:
        return registry.store.read("access/tools", team=None, scopes=None, read_only=True)

    def decide(pattern: str, effects: Any, **more: Any) -> Callable[[Registry], Any]:
        return lambda registry: override(registry.store, pattern, effects, by="Zoë", **more)

    peek, send = tool("peek", effects="read"), tool("send", effects="write")
    both(lambda registry: registry.register(mail(peek, send)))
    assert both(seen) == [{"id": "mail/peek"}]
    both(decide("peek", "destructive", because="it marks as read"))
    both(decide("mail/se*", "read", because="a sandbox"))
    assert both(seen) == [{"id": "mail/send"}]
    both(lambda registry: registry.register(mail({**peek, "description": "two"}, send)))
    assert both(seen) == [{"id": "mail/send"}]
    both(lambda registry: registry.remove("peek"))
    both(lambda registry: registry.register(mail(peek, send)))
    assert both(seen) == [{"id": "mail/send"}]
    both(decide("*", None, because="tried"))
    assert both(seen) == [{"id": "mail/peek"}]
    rows = both(lambda registry: decisions(registry.store))
    assert [(row["tool"], row["before"], row["after"]) for row in rows] == [
        ("mail/peek", "read", "destructive"),
        ("mail/peek", "destructive", "read"),
        ("mail/send", "write", "read"),
        ("mail/send", "read", "write"),
    ]


def test_better_rules_reach_unchanged_tools_on_both_engines(both: Both) -> None:
    source = read_source(str(DATA / "openapi" / "shop-3.0.yaml"))
    older = [
        one.model_copy(update={"effects": "read", "effects_reason": "an old rule"})
        for one in source.manifest.tools
    ]
    manifest = source.manifest.model_copy(update={"tools": tuple(older)})
    both(lambda registry: registry.register(manifest))
    both(lambda registry: override(registry.store, "*", "write", by="Zoë")[:1])
    both(lambda registry: override(registry.store, "*", None, by="Zoë")[:1])
    result = both(lambda registry: registry.register(source.manifest))
    assert result["changed"] == []
    assert sorted(result["reassessed"]) == sorted(result["unchanged"])
    both(lambda registry: registry.tools())
