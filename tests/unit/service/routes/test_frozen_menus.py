"""Frozen menus over HTTP: answers as described, bounds on what can be asked."""

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry as Schemas
from referencing.jsonschema import DRAFT202012

from spm.registry import demo

BODY = {"request": demo.REQUEST, "k": 6}
PLACE = "/v1/menus/frozen"


@pytest.fixture(scope="module")
def frozen_client(demo_folder, tmp_path_factory):
    """A server on a copy of the demo, which may be written to."""
    import shutil

    from spm.service.settings import ServiceSettings
    from spm.service.state import Service
    from tests.support.serving import serving

    folder = shutil.copytree(demo_folder, tmp_path_factory.mktemp("frozen") / "store")
    with serving(Service(ServiceSettings(store=str(folder), seconds=60))) as opened:
        yield opened


def described(client, method, route, answer):
    """Hold an answer against what /openapi.json says about it."""
    whole = client.get("/openapi.json").json()
    response = whole["paths"][route][method]["responses"][str(answer.status_code)]
    kind = answer.headers["content-type"].partition(";")[0]
    schema = {**response["content"][kind]["schema"], "components": whole["components"]}
    known = Schemas().with_resource("", DRAFT202012.create_resource(schema))
    Draft202012Validator(schema, registry=known).validate(answer.json())


def test_answers_are_as_described(frozen_client):
    made = frozen_client.post(PLACE, json=BODY)
    assert made.status_code == 201
    described(frozen_client, "post", PLACE, made)
    menu = made.json()["id"]
    described(frozen_client, "get", PLACE, frozen_client.get(PLACE))
    described(frozen_client, "get", f"{PLACE}/{{menu}}", frozen_client.get(f"{PLACE}/{menu}"))
    none = frozen_client.get(f"{PLACE}/none")
    assert none.status_code == 404
    described(frozen_client, "get", f"{PLACE}/{{menu}}", none)
    found = frozen_client.get(f"{PLACE}/{menu}/search", params={"q": "send the receipt"})
    assert found.status_code == 200
    described(frozen_client, "get", f"{PLACE}/{{menu}}/search", found)


def test_a_closed_search_brings_the_producers_along(frozen_client):
    menu = frozen_client.post(PLACE, json=BODY).json()
    found = frozen_client.get(
        f"{PLACE}/{menu['id']}/search",
        params={"q": "email the receipt to the customer", "limit": 1},
    ).json()
    names = [reference["tool_name"] for reference in found]
    order = [item["alias"] for item in menu["items"]]
    assert names == sorted(names, key=order.index)
    assert "send_email_receipt" in names
    assert {"get_customer_email", "create_receipt", "lookup_order"} <= set(names)
    assert set(names) < set(order)


def test_a_budget_and_aliases_hold_for_what_is_frozen(frozen_client):
    whole = frozen_client.post(PLACE, json=BODY).json()
    short = frozen_client.post(PLACE, json={**BODY, "token_budget": 700, "aliases": True}).json()
    assert 0 < len(short["items"]) < len(whole["items"])
    assert short["items"][0]["alias"] == "01_lookup_order"
    assert short["id"] != whole["id"]


@pytest.mark.parametrize(
    "wrong", [{"days": 0}, {"days": 1e9}, {"k": 0}, {"request": ""}, {"else": 1}, {"days": "x"}]
)
def test_what_cannot_be_frozen_is_refused(frozen_client, wrong):
    assert frozen_client.post(PLACE, json={**BODY, **wrong}).status_code == 422


@pytest.mark.parametrize("id", ["menu-0", "%00", "x" * 101, "menu-'; MATCH (n) DELETE n"])
def test_strange_ids_are_not_found(frozen_client, id):
    for method, path in (("GET", PLACE), ("DELETE", PLACE), ("POST", "/menus")):
        at = f"{path}/{id}" + ("/mcp" if method == "POST" else "")
        answer = frozen_client.request(method, at, json={} if method == "POST" else None)
        assert answer.status_code in (404, 405, 422), answer.text


def test_too_many_are_told_with_the_route_that_removes_some(frozen_client, monkeypatch):
    monkeypatch.setattr("spm.registry.menus.frozen.MOST", 0)
    answer = frozen_client.post(PLACE, json={"request": "Refund order 991", "k": 3})
    assert answer.status_code == 422
    assert answer.json()["next"] == "Remove some: DELETE /v1/menus/frozen/{menu}"
