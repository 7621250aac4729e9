"""What generators of documents append to operationIds is cut before verbs are read."""

import pytest

from spm.registry.importers.openapi import read_openapi
from spm.registry.importers.openapi_operations import own_name


@pytest.mark.parametrize(
    ("name", "method", "path", "own"),
    [
        ("read_item_items__item_id__get", "get", "/items/{item_id}", "read_item"),
        ("search_vans_vans_search_post", "POST", "/vans/search", "search_vans"),
        ("getItemUsingGET_1", "get", "/items/{id}", "getItem"),
        ("ItemsController_remove", "delete", "/items/{id}", "remove"),
        ("ItemService_ListItems", "get", "/v1/items", "ListItems"),
        ("listItems", "get", "/items", "listItems"),
        ("blog_post", "post", "/blog", "blog_post"),
        ("_items_get", "get", "/items", "_items_get"),
        ("issues/remove-label", "delete", "/labels/{name}", "issues/remove-label"),
    ],
)
def test_the_part_that_the_author_wrote(name, method, path, own):
    assert own_name(name, method, path) == own


def test_the_method_in_a_generated_name_is_no_verb():
    operations = {
        "/vans/search": {"post": {"operationId": "search_vans_vans_search_post"}},
        "/vans/{van_id}/alerts": {
            "delete": {"operationId": "unsubscribe_alerts_vans__van_id__alerts_delete"}
        },
        "/vans/{van_id}": {"delete": {"operationId": "delete_van_vans__van_id__delete"}},
    }
    paths = {
        path: {method: {"responses": {}, **operation} for method, operation in methods.items()}
        for path, methods in operations.items()
    }
    read = read_openapi({"openapi": "3.1.0", "info": {"title": "t"}, "paths": paths}, "t")
    assert [tool.effects for tool in read.manifest.tools] == ["read", "write", "destructive"]
