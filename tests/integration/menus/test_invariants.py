"""What holds for any registry: on the demo, a help desk, generated ones and public specifications.

Each invariant is looked for on whatever registry the seed gives. Those that need a change (traces,
an unrelated service, decisions about fields) are tried on a copy.
"""

import os
import random
import shutil
from collections import defaultdict
from pathlib import Path

import pytest

from spm.registry import demo
from spm.registry.catalog.field_decisions import declare, merge, retract, split
from spm.registry.exchange import export_registry
from spm.registry.importers.detection import read_source
from spm.registry.insight.atlas import survey
from spm.registry.insight.impact import impact
from spm.registry.invariants.checks import check_invariants
from spm.registry.invariants.dependencies import edges_into, told_differently
from spm.registry.invariants.sample_requests import sample_requests
from spm.registry.models import Trace
from spm.registry.registry import Registry
from spm.registry.settings import Settings
from tests.support import graphs
from tests.support.campaigns import size
from tests.support.help_desk import ROUTES, SPECIFICATION, TRACES
from tests.support.resource_registries import UNRELATED, resource_manifests

REQUESTS = size("invariant_requests")
SEEDS = range(1, 1 + size("invariant_seeds"))
SMALLEST_FIRST = ("slack", "stripe", "github", "kubernetes")
SPECS = Path(os.environ.get("SPM_TEST_SPECS", Path(__file__).parents[4] / "shared/data/specs"))
ENGINES = ["embedded", pytest.param("neo4j", marks=pytest.mark.neo4j)]


def hold(registry, requests=REQUESTS):
    outcomes = check_invariants(registry, requests=requests)
    assert [(o.name, o.violations) for o in outcomes if not o.ok] == []
    return outcomes


def routes(registry, requests):
    return {request: registry.menu(request).route for request in requests}


def texts(registry, count=REQUESTS):
    return [request.text for request in sample_requests(registry.store, count)]


def filled(folder, encoder, fill):
    with Registry.open(str(folder)) as registry:
        fill(registry)
        registry.encode(encoder)
    return folder


@pytest.fixture(scope="module")
def desk_folder(tmp_path_factory, encoder):
    place = tmp_path_factory.mktemp("desk") / "store"
    return filled(place, encoder, lambda r: r.add(read_source(str(SPECIFICATION))))


@pytest.fixture
def desk(desk_folder, tmp_path):
    with Registry.open(str(shutil.copytree(desk_folder, tmp_path / "desk"))) as registry:
        yield registry


@pytest.fixture(scope="module")
def bare_demo(tmp_path_factory, demo_folder, encoder):
    """The demo without its traces; its texts are known, so that nothing is encoded anew."""

    def fill(registry):
        for manifest in demo.manifests():
            registry.register(manifest)

    return filled(tmp_path_factory.mktemp("bare") / "store", encoder, fill)


@pytest.fixture
def bare(bare_demo, tmp_path):
    with Registry.open(str(shutil.copytree(bare_demo, tmp_path / "bare"))) as registry:
        yield registry


# -- 1, 4, 5, 7 and the rule of destructive tools, as `spm doctor --invariants` checks them ----


@pytest.mark.campaign
def test_they_hold_on_the_demo_with_its_traces(shop):
    outcomes = hold(shop)
    assert all(outcome.tried for outcome in outcomes)


@pytest.mark.campaign
def test_they_hold_on_the_demo_without_traces(bare):
    hold(bare)


@pytest.mark.campaign
@pytest.mark.parametrize("engine", ENGINES)
def test_they_hold_on_a_help_desk_also_after_traces(request, engine, tmp_path, encoder):
    place = Settings(str(tmp_path / "store"))
    if engine == "neo4j":
        server = request.getfixturevalue("neo4j_server")
        request.getfixturevalue("empty")(server)
        place = server.settings()
    with Registry.open(place) as registry:
        registry.add(read_source(str(SPECIFICATION)))
        registry.encode(encoder)
        hold(registry)
        registry.import_traces([Trace.model_validate(trace) for trace in TRACES])
        registry.encode(encoder)
        hold(registry)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", SEEDS)
def test_they_hold_on_generated_registries(seed, registry, encoder):
    for manifest in resource_manifests(seed):
        registry.register(manifest)
    registry.encode(encoder)
    hold(registry)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", SEEDS)
def test_they_hold_where_names_and_effects_are_chance(seed, registry, encoder):
    graphs.fill(registry, graphs.random_library(seed))
    registry.encode(encoder)
    hold(registry)


@pytest.mark.campaign
@pytest.mark.parametrize("api", SMALLEST_FIRST[: size("invariant_specs")])
def test_they_hold_on_a_public_specification(api, registry, encoder):
    from benchmarks.map.specs import document

    found = document(SPECS, api, Path(registry.store.location).parent)
    if found is None:
        pytest.skip(f"no specification of {api} in {SPECS}")
    registry.add(read_source(str(found)))
    registry.encode(encoder)
    hold(registry)


def test_traces_in_which_reading_changed_something_are_no_excuse(desk, encoder):
    """Similar requests decide the route here, and all of them wrote where they were to show."""
    path = ["listTickets", "createTicket", "assignTicket"]
    traces = [{"request": f"Show me ticket {n}, please", "steps": path} for n in range(40)]
    desk.import_traces([Trace.model_validate(trace) for trace in traces])
    desk.encode(encoder)
    menu = desk.menu("Show me ticket 17, please")
    assert menu.trust > 0.3
    assert {item.effects for item in menu.items if item.id in menu.route} == {"read"}
    menu = desk.menu("Zeige mir bitte Ticket 17")
    assert any("language of the request was not understood" in note for note in menu.notes)


# -- 2: traces of one workflow leave other routes as they were --------------------------------


def workflows():
    """The traces of the demo by their path, the commonest path first."""
    found = defaultdict(list)
    for trace in demo.trajectories():
        found[tuple(step.tool for step in trace.steps)].append(trace)
    return sorted(found.values(), key=lambda traces: (-len(traces), traces[0].request))


@pytest.mark.campaign
@pytest.mark.parametrize("seed", SEEDS)
def test_traces_of_one_workflow_leave_other_routes_as_they_were(seed, bare, encoder):
    traces = workflows()[seed * 2]
    before = routes(bare, texts(bare))
    bare.import_traces(traces)
    bare.encode(encoder)
    purposes = bare.store.read("insight/purposes")
    resource = {row["id"]: row["resource"] for row in purposes}
    ran = {step.tool for trace in traces for step in trace.steps}
    touched = {row["id"] for row in purposes if row["name"] in ran or row["id"] in ran}
    acted = {resource[tool] for tool in touched}
    assert touched
    untouched = [
        asked
        for asked, route in before.items()
        if not touched.intersection(route) and not acted.intersection(map(resource.get, route))
    ]
    assert len(untouched) > len(before) / 3
    assert routes(bare, untouched) == {asked: before[asked] for asked in untouched}


# -- 3: an unrelated service changes no route --------------------------------------------------


def test_an_unrelated_service_changes_no_route_of_the_help_desk(desk, encoder):
    before = routes(desk, ROUTES)
    desk.register(UNRELATED)
    desk.encode(encoder)
    assert routes(desk, ROUTES) == before


@pytest.mark.campaign
def test_an_unrelated_service_turns_no_route_into_another(bare, encoder):
    """A route that is barely clear may be withheld; it never becomes another one."""
    before = routes(bare, texts(bare))
    bare.register(UNRELATED)
    bare.encode(encoder)
    after = routes(bare, before)
    assert [
        asked for asked in before if before[asked] and after[asked] not in ([], before[asked])
    ] == []
    same = sum(before[asked] == after[asked] for asked in before)
    assert same >= 0.95 * len(before)


# -- 6: decisions about fields are undone to the byte ------------------------------------------


def exported(registry, path):
    """Every record of the graph as bytes; the first line counts writes, the last one hashes it."""
    export_registry(registry.store, path, replace=True)
    return path.read_bytes().splitlines()[1:-1]


def inputs(registry):
    return registry.store.read("insight/inputs")


@pytest.mark.parametrize("seed", SEEDS)
def test_decisions_are_undone_to_the_byte_and_give_no_tool_an_input(seed, registry, tmp_path):
    for manifest in resource_manifests(seed):
        registry.register(manifest)
    fields = [row["field"] for row in registry.store.read("fields/vocabulary")]
    chance, path = random.Random(seed), tmp_path / "graph.jsonl"
    before, taken = exported(registry, path), inputs(registry)
    for _ in range(6):
        one, two, three = chance.sample(fields, 3)
        merge(registry.store, one, two, "Ann")
        declare(registry.store, three, one, "Ann")
        assert inputs(registry) == taken
        retract(registry.store, three, one)
        split(registry.store, two, one)
        assert exported(registry, path) == before, (one, two, three)


# -- 7: both engines tell the same -------------------------------------------------------------


@pytest.mark.neo4j
@pytest.mark.campaign
def test_both_engines_tell_the_same_dependencies(neo4j_server, empty, registry):
    empty(neo4j_server)
    with Registry.open(neo4j_server.settings()) as remote:
        told = []
        for one in (registry, remote):
            for manifest in resource_manifests(1):
                one.register(manifest)
            one.add(read_source(str(SPECIFICATION)))
            tools = [row["id"] for row in one.tools()]
            assert list(told_differently(one, tools)) == []
            views = [one.show(tool) for tool in tools]
            told.append(
                (
                    edges_into(one, tools),
                    [one.plan([], tool) for tool in tools],
                    [(view.producers, view.consumers) for view in views],
                    [impact(one.store, tool) for tool in tools],
                    survey(one.store),
                )
            )
        assert told[0][0]
        assert told[0] == told[1]
