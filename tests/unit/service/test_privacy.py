"""What a caller may not see changes not a byte of any answer, and no error tells of it."""

import json

import pytest

from spm.registry import Caller, Manifest, Registry, Trace, tokens

CALLERS = {
    "mail": Caller("mail"),
    "reader": Caller("mail", None, True),
    "scoped": Caller("mail", ("orders:read",)),
}
SECRET = "zebra"  # a word that only hidden things have


def hidden(number, **how):
    return {
        "name": f"{SECRET}_receipt_{number}",
        "description": f"Email the customer the receipt for an order, {SECRET}.",
        "effects": "read",
        "family": "receipt",
        "inputs": [{"name": "order_id"}, {"name": f"{SECRET}_id"}],
        "outputs": [{"name": "customer_email"}, {"name": "receipt_id"}, {"name": "order_total"}],
        **how,
    }


HIDDEN = {
    "spm": 1,
    "service": {"name": SECRET, "owner": SECRET},
    "tools": [
        hidden(0, visibility="private"),
        hidden(1, visibility="team"),
        hidden(2, visibility="private", effects="destructive"),
    ],
}
QUESTIONS = [
    ("POST", "/v1/menus", {"request": "Email the customer the receipt for order 4821"}),
    ("POST", "/v1/menus", {"request": f"{SECRET} receipt for order 4821", "format": "markdown"}),
    ("POST", "/v1/menus", {"request": "x", "done": [f"{SECRET}_receipt_0"]}),
    ("POST", "/v1/menus", {"request": "Refund order 991", "state": [f"{SECRET}_id"]}),
    ("POST", "/v1/menus/why-not", {"request": "x", "tool": f"{SECRET}_receipt_0"}),
    ("POST", "/v1/menus/why-not", {"request": "x", "tool": f"{SECRET}/{SECRET}_receipt_1"}),
    ("POST", "/v1/menus/why-not", {"request": "Refund order 991", "tool": "get_customer_email"}),
    ("GET", "/v1/tools?limit=1000", None),
    ("GET", "/v1/tools?q=receipt", None),
    ("GET", f"/v1/tools?q={SECRET}", None),
    ("GET", f"/v1/tools?service={SECRET}", None),
    ("GET", "/v1/tools?family=receipt", None),
    ("GET", "/v1/tools?field=order_id", None),
    ("GET", f"/v1/tools?field={SECRET}_id", None),
    ("GET", f"/v1/tools?after={SECRET}/{SECRET}_receipt_0", None),
    ("GET", "/v1/tools/lookup_order", None),
    ("GET", "/v1/tools/get_customer_email", None),
    ("GET", f"/v1/tools/{SECRET}_receipt_0", None),
    ("GET", f"/v1/tools/{SECRET}_receipt_9", None),
    ("GET", "/v1/fields", None),
    ("GET", "/v1/fields?unproduced=true", None),
    ("GET", "/v1/paths?from=lookup_order&to=get_customer_email", None),
    ("GET", "/v1/paths?have=order_id&to=get_customer_email", None),
    ("GET", f"/v1/paths?have={SECRET}_id&to=get_customer_email", None),
    ("GET", f"/v1/paths?from=lookup_order&to={SECRET}_receipt_0", None),
    ("GET", "/v1/impact/lookup_order", None),
    ("GET", "/v1/impact/order_id?kind=field", None),
    ("GET", f"/v1/impact/{SECRET}_receipt_0", None),
    ("GET", f"/v1/impact/{SECRET}_id", None),
    ("GET", "/v1/atlas", None),
    ("GET", f"/v1/atlas?visible={SECRET}_id", None),
    ("GET", "/v1/graph", None),
    ("GET", "/v1/graph?family=receipt", None),
    ("GET", "/v1/graph?field=order_id", None),
    ("GET", "/v1/graph?tool=lookup_order", None),
    ("GET", f"/v1/graph?tool={SECRET}_receipt_0", None),
    ("GET", "/v1/names?q=rec", None),
    ("GET", f"/v1/names?q={SECRET}", None),
]
# What tells nothing of tools; what only writes; what other tests hold to the same (frozen menus
# carry the moment when they were made); and /metrics, whose permission says that it counts all.
ELSEWHERE = ("/healthz", "/readyz", "/metrics", "/v1/traces", "/v1/check", "/v1/menus/frozen")
GOLDEN = [
    {"request": "Email the receipt for order 4821", "path": ["lookup_order"]},
    {"request": "x", "path": [f"{SECRET}_receipt_0"]},
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory, demo_folder, encoder):
    """Everything that each caller is told, before and after the hidden tools came."""
    import shutil
    from contextlib import ExitStack

    from spm.service.service import Service
    from spm.service.settings import ServiceSettings
    from tests.unit.service.conftest import serving

    folder = tmp_path_factory.mktemp("privacy") / "store"
    shutil.copytree(demo_folder, folder)
    secrets = {}
    with Registry.open(str(folder)) as registry:
        for name, caller in CALLERS.items():
            secrets[name] = tokens.create(registry.store, name, caller)[0]
    told = []
    with ExitStack() as stack:
        client = stack.enter_context(serving(Service(ServiceSettings(store=str(folder)))))
        told.append(everything(client, secrets))
        with Registry.open(str(folder)) as registry:
            registry.register(Manifest.model_validate(HIDDEN))
            steps = ["lookup_order", f"{SECRET}_receipt_0", "get_customer_email"]
            registry.import_traces(
                Trace.model_validate({"trace_id": f"z{n}", "request": SECRET, "steps": steps})
                for n in range(30)
            )
            registry.encode(encoder)
        told.append(everything(client, secrets))
        operator = client.get("/v1/tools", params={"service": SECRET}).json()
        assert operator["total"] == 3  # the same server does see them
    return told


def everything(client, secrets):
    found = {}
    for name, secret in secrets.items():
        headers = {"Authorization": f"Bearer {secret}"}
        for method, path, body in QUESTIONS:
            answer = client.request(method, path, json=body, headers=headers)
            found[name, path, json.dumps(body)] = (answer.status_code, answer.content)
        lines = "\n".join(map(json.dumps, GOLDEN))
        answer = client.post("/v1/check", content=lines, headers=headers)
        found[name, "/v1/check", ""] = (answer.status_code, answer.content)
    return found


def test_every_route_is_asked(client):
    asked = {path.partition("?")[0] for _, path, _ in QUESTIONS}
    for route in client.get("/openapi.json").json()["paths"]:
        begin = route.partition("{")[0]
        assert route.startswith(ELSEWHERE) or any(path.startswith(begin) for path in asked), route


@pytest.mark.parametrize("name", CALLERS)
def test_hidden_tools_change_no_byte_of_any_answer(answers, name):
    before, after = answers
    differing = [key for key in before if key[0] == name and before[key] != after[key]]
    assert not differing
    assert not [key for key, (status, _) in before.items() if status >= 500]
    # Not all of them are errors: most questions have a real answer.
    assert sum(status == 200 for (who, *_), (status, _) in before.items() if who == name) > 20


def test_no_answer_says_a_word_of_them(answers):
    """But for what the caller itself wrote."""
    for (_, path, body), (_, content) in answers[1].items():
        if SECRET not in path + body and path != "/v1/check":
            assert SECRET.encode() not in content, (path, body)


def test_what_there_is_to_see_is_seen(answers):
    """The callers differ, so the answers are not empty by accident."""
    page = "/v1/tools?limit=1000"
    totals = {n: json.loads(answers[1][n, page, "null"][1])["total"] for n in CALLERS}
    assert totals["mail"] > totals["reader"] > 0
    assert totals["mail"] > totals["scoped"] > 0
