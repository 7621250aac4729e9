"""Explicit links of a source: written, changed and removed without a new version of any tool."""

import json

import pytest

from spm.registry.catalog.registration import preview
from spm.registry.catalog.source_links import Link, fingerprint
from spm.registry.importers.detection import read_source
from spm.registry.models import Manifest, Trace

SERVICE = {"name": "s", "title": "S"}


def shop(**more):
    tools = {
        "make": {"outputs": [{"name": "basket"}]},
        "take": {"inputs": [{"name": "cart_number"}]},
        "look": {"inputs": [{"name": "view_number"}]},
    }
    tools |= more
    return Manifest.model_validate(
        {"spm": 1, "service": SERVICE, "tools": [{"name": n, **t} for n, t in tools.items()]}
    )


TAKE = Link("make", "basket", "take", "cart_number")
LOOK = Link("make", "basket", "look", "view_number")


def gives(registry, tool="make"):
    return {row["field"]: (row["evidence"], row["count"]) for row in registry.show(tool).outputs}


DECLARED = ("declared", 0)


def test_a_change_of_links_alone_is_noticed_written_and_makes_no_version(registry, store):
    registry.register(shop())
    for links, expected in (
        ([TAKE], {"cart_number"}),
        ([LOOK, TAKE], {"cart_number", "view_number"}),
        ([LOOK], {"view_number"}),
        ([], set()),
    ):
        plan = preview(store, shop(), links)
        done = registry.register(shop(), links=links)
        assert plan.relinked == done.relinked == ["s/make"]
        assert (done.added, done.changed) == ([], [])
        assert done.unchanged == ["s/make", "s/take", "s/look"]
        assert done.revision
        assert gives(registry) == dict.fromkeys({"basket", *expected}, DECLARED)
    assert [row["version"] for row in registry.show("make").versions] == ["1"]
    assert not registry.paths("make", "take")


def test_the_same_links_again_in_any_order_cost_nothing(registry, store):
    registry.register(shop(), links=[TAKE, LOOK])
    before = store.journal.size(), registry.status()
    done = registry.register(shop(), links=[LOOK, TAKE])
    assert (done.relinked, done.revision) == ([], None)
    assert (store.journal.size(), registry.status()) == before


def test_a_preview_of_links_writes_nothing(registry, store):
    registry.register(shop(), links=[TAKE])
    before = store.journal.size(), registry.status()
    assert preview(store, shop(), [TAKE]).relinked == []
    assert preview(store, shop(), []).relinked == ["s/make"]
    assert (store.journal.size(), registry.status()) == before


def test_links_that_change_no_edge_are_remembered_and_change_no_tool(registry):
    registry.register(shop(), links=[TAKE])
    other = Link("make", "basket.id", "take", "cart_number")
    done = registry.register(shop(), links=[other])
    assert done.relinked == []
    assert registry.register(shop(), links=[other]).revision is None
    assert gives(registry) == {"basket": DECLARED, "cart_number": DECLARED}


def test_a_link_follows_its_consumer_to_another_name(registry):
    registry.register(shop(), links=[TAKE])
    renamed = shop(take={"inputs": [{"name": "trolley_number"}]})
    link = Link("make", "basket", "take", "trolley_number")
    done = registry.register(renamed, links=[link])
    assert (done.changed, done.relinked) == (["s/take"], ["s/make"])
    assert gives(registry) == {"basket": DECLARED, "trolley_number": DECLARED}
    assert "cart_number" not in {r["field"] for r in registry.store.read("fields/vocabulary")}


def test_a_changed_producer_keeps_its_links(registry):
    registry.register(shop(), links=[TAKE])
    registry.register(
        shop(make={"description": "new", "outputs": [{"name": "basket"}]}), links=[TAKE]
    )
    assert gives(registry) == {"basket": DECLARED, "cart_number": DECLARED}


def test_what_was_also_observed_stays_as_observed_when_its_link_goes(registry):
    registry.register(shop(), links=[TAKE])
    step = {"tool": "make", "result": {"cart_number": 1}}
    registry.import_traces([Trace.model_validate({"request": "x", "steps": [step]})])
    assert gives(registry)["cart_number"] == ("declared", 1)
    registry.register(shop())
    assert gives(registry) == {"basket": DECLARED, "cart_number": ("observed", 1)}


def test_links_to_tools_that_are_not_there_link_nothing(registry):
    done = registry.register(shop(), links=[Link("make", "x", "nobody", "y")])
    assert done.relinked == []
    assert gives(registry) == {"basket": DECLARED}


def test_a_removed_tool_that_comes_back_has_its_links_again(registry):
    registry.register(shop(), links=[TAKE])
    registry.remove("make")
    registry.register(shop(), links=[TAKE])
    assert gives(registry) == {"basket": DECLARED, "cart_number": DECLARED}


def test_the_fingerprint_of_no_links_is_empty():
    assert fingerprint([]) == ""
    assert fingerprint([TAKE, LOOK]) == fingerprint([LOOK, TAKE]) != fingerprint([TAKE])


@pytest.fixture
def document(tmp_path):
    """Write an OpenAPI document with these links of its first operation."""

    def write(links):
        text = {"type": "string"}
        basket = {"type": "object", "properties": {"basket_code": text}}
        made = {"description": "ok", "content": {"application/json": {"schema": basket}}}
        take = {"name": "cart_number", "in": "query", "required": True, "schema": text}
        paths = {
            "/make": {"post": {"operationId": "make", "responses": {"200": made}}},
            "/take": {
                "get": {
                    "operationId": "take",
                    "parameters": [take],
                    "responses": {"200": {"description": "ok"}},
                }
            },
        }
        if links:
            made["links"] = links
        path = tmp_path / "shop.json"
        info = {"title": "Shop", "version": "1"}
        path.write_text(json.dumps({"openapi": "3.1.0", "info": info, "paths": paths}))
        return path

    return write


def test_an_openapi_document_of_which_only_the_links_changed(registry, document):
    parameters = {"cart_number": "$response.body#/basket_code"}
    link = {"go": {"operationId": "take", "parameters": parameters}}
    registry.add(read_source(str(document({}))))
    assert not registry.paths("make", "take")
    done = registry.add(read_source(str(document(link))))
    assert (done.relinked, done.changed, len(done.unchanged)) == (["shop/make"], [], 2)
    assert registry.paths("make", "take")[0].hops[0].fields == ["cart_number"]
    assert registry.add(read_source(str(document(link)))).revision is None
    registry.add(read_source(str(document({}))))
    assert not registry.paths("make", "take")
