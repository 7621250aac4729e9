"""Questions are taken as they are described: no other parameters, no other bodies."""

import json

import pytest

ORDER = json.dumps({"request": "Refund order 991", "k": 3}).encode()
JSON_ROUTES = ["/v1/menus", "/v1/menus/why-not", "/v1/menus/frozen"]
# Every address that the files of the page ask for, and those of the README.
ASKED = [
    "/v1/tools?q=receipt&limit=2", "/v1/fields?unproduced=true", "/v1/impact/order_id?kind=field",
    "/v1/paths?from=lookup_order&to=send_email_receipt", "/v1/graph?family=order&limit=40&after=",
    "/v1/graph?field=order_id&limit=200", "/v1/graph?tool=lookup_order", "/v1/atlas",
    "/v1/names?q=ref&kind=tool&kind=field", "/v1/tools/lookup_order", "/v1/impact/lookup_order",
]  # fmt: skip


@pytest.mark.parametrize("path", ASKED)
def test_what_the_page_asks_is_answered(client, path):
    assert client.get(path).status_code == 200


@pytest.mark.parametrize(
    ("path", "name", "told"),
    [
        ("/v1/tools?limt=3", "limt", "Nearest: limit"),
        ("/v1/tools?q=x&query=SECRET", "query", "Known: q, family"),
        ("/v1/tools/lookup_order?version=2", "version", "no parameters"),
        ("/v1/paths?from_=a&to=b", "from_", "Nearest: from"),
        ("/v1/atlas?%ff%0a=1", "", "Known: visible"),
    ],
)
def test_an_unknown_parameter_is_refused_by_its_name(client, path, name, told):
    answer = client.get(path)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    said = answer.json()["detail"]
    assert said.startswith(f"query.{name}")
    assert told in said
    assert "SECRET" not in answer.text


@pytest.mark.parametrize("path", ["/v1/traces?skip_unknwon=true", "/v1/check?min_chan=1"])
def test_a_misspelled_parameter_of_what_comes_in_writes_nothing(client, path):
    answer = client.post(path, content=b"{}")
    assert answer.status_code == 422
    assert "Nearest: " in answer.json()["detail"]


@pytest.mark.parametrize("path", ["/healthz?probe=1", "/metrics?name[]=x", "/?utm=1"])
def test_monitors_and_links_may_add_what_they_like(client, path):
    assert client.get(path).status_code == 200


@pytest.mark.parametrize("path", JSON_ROUTES)
@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded"])
def test_a_body_that_is_not_said_to_be_json_is_refused(client, path, kind):
    answer = client.post(path, content=ORDER, headers={"Content-Type": kind} if kind else {})
    assert answer.status_code == 415
    assert answer.json()["type"] == "urn:spm:problem:media-type"
    assert "Content-Type: application/json" in answer.json()["next"]


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/x+json"])
def test_json_may_be_said_in_other_words(client, kind):
    answer = client.post("/v1/menus", content=ORDER, headers={"Content-Type": kind})
    assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/check"])
def test_lines_need_no_type(client, path):
    assert client.post(path, content=b"{").status_code == 422
