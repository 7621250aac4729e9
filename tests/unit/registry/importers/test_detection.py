"""Which format a source is of, and under which name its tools come."""

import json
from pathlib import Path

import pytest

from spm.registry.catalog.registration import changes, namespaced, preview
from spm.registry.errors import ManifestError
from spm.registry.importers.detection import FORMATS, detect, read_source

DATA = Path(__file__).resolve().parents[3] / "data" / "formats"
MANIFEST = {"spm": 1, "service": "shop", "tools": [{"name": "ping"}]}
FUNCTIONS = [{"type": "function", "function": {"name": "ping", "description": "Say hello"}}]
MCP = {"tools": [{"name": "ping", "inputSchema": {"type": "object"}}]}
OPENAPI = {
    "openapi": "3.0.3",
    "info": {"title": "shop", "version": "1"},
    "paths": {"/ping": {"get": {"operationId": "ping", "responses": {"200": {"description": ""}}}}},
}


def written(folder: Path, name: str, document: object) -> str:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(document))
    return str(folder / name)


@pytest.mark.parametrize(
    ("file", "format"),
    [
        *[(path, path.parent.name) for path in sorted(DATA.glob("functions/*"))],
        *[(path, "mcp") for path in sorted(DATA.glob("mcp/*"))],
        *[(path, "openapi") for path in sorted(DATA.glob("openapi/shop*"))],
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_the_content_tells_the_format(file, format):
    found = read_source(str(file))
    assert found.format == format
    assert found.manifest.tools
    assert found.origin.startswith(f"{format}:{found.manifest.service.name}:")


@pytest.mark.parametrize(
    ("document", "format"),
    [
        (MANIFEST, "spm"),
        (OPENAPI, "openapi"),
        ({"swagger": "2.0"}, "openapi"),
        ({"arazzo": "1.0.1"}, "arazzo"),
        (MCP, "mcp"),
        (FUNCTIONS, "functions"),
        ({}, None),
        ([], None),
        (None, None),
        ("openapi", None),
        ([{"openapi": "3.0.3"}], None),
        ({"tools": "none"}, None),
    ],
)
def test_detection_knows_its_formats_and_no_others(document, format):
    assert detect(document) == format


def test_a_format_can_be_forced(tmp_path):
    odd = written(tmp_path, "odd.json", {"functions": FUNCTIONS, "openapi": "not really"})
    assert detect(json.loads(Path(odd).read_text())) == "openapi"
    with pytest.raises(ManifestError):
        read_source(odd)
    plain = written(tmp_path, "plain.json", FUNCTIONS)
    assert read_source(plain, format="functions").format == "functions"
    with pytest.raises(ManifestError):
        read_source(plain, format="openapi")


def test_an_unknown_format_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(ManifestError, match=r"No format 'soap'\. Known: spm, openapi"):
        read_source(written(tmp_path, "x.json", MANIFEST), format="soap")


def test_a_document_of_no_known_format_says_how_to_force_one(tmp_path):
    with pytest.raises(ManifestError, match=r"no known format.*--from"):
        read_source(written(tmp_path, "x.json", {"hello": 1}))


def test_workflows_are_no_tools_and_the_message_says_where_they_go():
    with pytest.raises(ManifestError, match=r"workflows, not tools.*spm traces import .*buy"):
        read_source(str(DATA / "openapi" / "buy.arazzo.yaml"))


@pytest.mark.parametrize("name", ["none.yaml", "none.json", "some/where", "two words"])
def test_a_file_that_is_not_there_is_named(tmp_path, name):
    with pytest.raises(ManifestError, match="Cannot read"):
        read_source(str(tmp_path / name))


def test_a_name_that_no_file_has_is_a_python_import_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = read_source("textwrap:shorten")
    assert (found.format, found.origin) == ("python", "python:textwrap")
    assert [tool.name for tool in found.manifest.tools] == ["shorten"]
    (tmp_path / "textwrap").write_text(json.dumps(MANIFEST))
    assert read_source("textwrap").format == "spm"
    assert read_source("textwrap", format="python").format == "python"


@pytest.mark.parametrize("document", [MANIFEST, OPENAPI, MCP, FUNCTIONS])
def test_a_service_name_can_be_chosen(tmp_path, document):
    assert (
        read_source(written(tmp_path, "x.json", document), service="mine").manifest.service.name
        == "mine"
    )


def test_every_format_but_arazzo_was_tried():
    assert set(FORMATS) == {"spm", "openapi", "arazzo", "mcp", "functions", "python"}


# -- names that collide ------------------------------------------------------------------------


def test_two_sources_of_different_origin_never_share_a_service(registry, tmp_path):
    openapi = read_source(written(tmp_path, "a.json", OPENAPI))
    mcp = read_source(written(tmp_path, "shop.json", MCP))
    functions = read_source(written(tmp_path / "other", "shop.json", FUNCTIONS))
    assert {s.manifest.service.name for s in (openapi, mcp, functions)} == {"shop"}
    services = [registry.add(source).service for source in (openapi, mcp, functions)]
    assert services == ["shop", "shop-2", "shop-3"]
    assert [row["id"] for row in registry.tools()] == ["shop-2/ping", "shop-3/ping", "shop/ping"]
    again = [registry.add(source) for source in (functions, openapi, mcp)]
    assert [result.service for result in again] == ["shop-3", "shop", "shop-2"]
    assert not any(result.added or result.changed for result in again)


@pytest.mark.parametrize("document", [MCP, FUNCTIONS, OPENAPI])
def test_a_bare_list_is_known_by_its_folder_and_name(registry, tmp_path, document):
    def add(folder):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        return registry.add(read_source(written(tmp_path / folder, "shop.json", document)))

    assert add("one/tools").added == ["shop/ping"]
    moved = add("two/tools")
    assert (moved.service, moved.revision) == ("shop", None)
    assert add("two/other").added == ["shop-2/ping"]


@pytest.mark.parametrize("document", [MCP, FUNCTIONS, OPENAPI])
def test_a_chosen_name_is_the_same_source_in_every_checkout(registry, tmp_path, document):
    def add(folder, service="shop"):
        file = written(tmp_path / folder, "shop.json", document)
        return registry.add(read_source(file, service=service))

    # What was registered by its folder goes on under the chosen name.
    assert add("build-1", None).added == ["shop/ping"]
    assert [add(f"build-{n}").revision for n in (1, 2, 3)] == [None] * 3
    assert add("build-2", "mine").added == ["mine/ping"]
    assert (add("build-3", "mine").service, add("build-3", "mine").revision) == ("mine", None)


@pytest.mark.parametrize("turn", [1, -1])
def test_a_chosen_name_takes_over_no_other_format_and_no_other_api(registry, tmp_path, turn):
    documents = MCP, FUNCTIONS, OPENAPI, {**OPENAPI, "servers": [{"url": "https://a.example"}]}
    sources = [
        read_source(written(tmp_path, f"{n}.json", document), service="mine")
        for n, document in enumerate(documents)
    ]
    services = [registry.add(source).service for source in sources[::turn]]
    assert services == ["mine", "mine-2", "mine-3", "mine-4"]


@pytest.mark.parametrize("first", ["manifest", "server"])
def test_a_manifest_and_a_server_never_share_a_service(registry, tmp_path, first):
    manifest = read_source(written(tmp_path, "m.json", MANIFEST))
    server = read_source(written(tmp_path, "shop.json", MCP))
    order = [manifest, server] if first == "manifest" else [server, manifest]
    assert [registry.add(source).service for source in order] == ["shop", "shop-2"]
    hashes = {row["id"]: row["content_hash"] for row in registry.store.read(
        "tools/hashes", ids=["shop/ping", "shop-2/ping"])}  # fmt: skip
    assert len(set(hashes.values())) == 2
    assert [registry.add(source).revision for source in order] == [None, None]


def test_several_manifests_may_share_a_service(registry, tmp_path):
    one = read_source(written(tmp_path, "one.json", MANIFEST))
    two = read_source(written(tmp_path, "two.json", {**MANIFEST, "tools": [{"name": "pong"}]}))
    assert [registry.add(source).service for source in (one, two)] == ["shop", "shop"]
    assert [row["id"] for row in registry.tools()] == ["shop/ping", "shop/pong"]


def test_what_the_source_no_longer_has_is_said_and_left(registry, tmp_path):
    both = {**MANIFEST, "tools": [{"name": "ping"}, {"name": "pong"}]}
    registry.add(read_source(written(tmp_path, "m.json", both)))
    result = registry.add(read_source(written(tmp_path, "m.json", MANIFEST)))
    assert result.missing == ["shop/pong"]
    assert len(registry.tools()) == 2


# -- previews ----------------------------------------------------------------------------------


def test_a_preview_says_what_would_change_and_changes_nothing(registry, store, tmp_path):
    registry.add(read_source(written(tmp_path, "m.json", MANIFEST)))
    before = store.journal.size(), registry.status()
    later = {**MANIFEST, "tools": [{"name": "ping", "effects": "write"}, {"name": "pong"}]}
    manifest = read_source(written(tmp_path, "m.json", later)).manifest
    manifest = namespaced(store, manifest, "")
    plan = preview(store, manifest)
    assert (plan.added, plan.changed) == (["shop/pong"], ["shop/ping"])
    (change,) = changes(store, manifest, plan.changed)["shop/ping"]
    assert (change.what, change.after, change.breaking) == ("effects", "write", True)
    assert (store.journal.size(), registry.status()) == before


def test_the_links_of_a_document_become_edges(registry):
    source = read_source(str(DATA / "openapi" / "shop-3.0.yaml"))
    assert source.links
    registry.add(source)
    linked = registry.show("createOrder").consumers
    assert {link.consumer for link in source.links if link.producer == "createOrder"} <= {
        tool.partition("/")[2] for tools in linked.values() for tool in tools
    } | {"deleteOrder"}  # deprecated, so nobody is led to it
