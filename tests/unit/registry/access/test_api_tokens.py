"""API tokens: only their hash is kept, and only as long as they are good do they open anything."""

import json
from dataclasses import asdict

import pytest

from spm.registry.access import api_tokens
from spm.registry.access.caller import Caller
from spm.registry.errors import InputError
from spm.registry.exchange import export_registry


def test_a_token_is_found_by_its_secret_alone(store):
    secret, made = api_tokens.create(
        store, "bot", Caller("mail", ("b", "a"), True), may=("traces",)
    )
    assert secret.startswith("spm_")
    assert len(secret) == api_tokens.LENGTH
    assert api_tokens.find(store, secret) == made
    assert made.caller == Caller("mail", ("a", "b"), True)
    assert made.may == ("traces",)
    assert api_tokens.find(store, secret[:-1] + ("A" if secret[-1] != "A" else "B")) is None
    assert api_tokens.find(store, made.id) is None


@pytest.mark.parametrize(
    "caller", [Caller(), Caller("a"), Caller(None, ()), Caller("a", ("x",), True)]
)
def test_whom_a_token_stands_for_survives_the_store(store, caller):
    secret, _ = api_tokens.create(store, "t", caller)
    found = api_tokens.find(store, secret)
    assert found is not None
    assert found.caller == caller
    assert [asdict(token) for token in api_tokens.tokens(store)] == [asdict(found)]


def test_two_secrets_are_never_the_same(store):
    made = {api_tokens.create(store, f"t{n}", Caller())[0] for n in range(20)}
    assert len(made) == 20


@pytest.mark.parametrize("how", ["name", "id"])
def test_a_revoked_token_opens_nothing(store, how):
    secret, made = api_tokens.create(store, "bot", Caller())
    api_tokens.revoke(store, "bot" if how == "name" else made.short)
    assert api_tokens.find(store, secret) is None
    assert [token.status() for token in api_tokens.tokens(store)] == ["revoked"]
    with pytest.raises(InputError, match="No active token"):
        api_tokens.revoke(store, "bot")
    api_tokens.create(store, "bot", Caller())  # the name is free again


def test_an_expired_token_opens_nothing(store):
    secret, made = api_tokens.create(store, "bot", Caller(), days=-1)
    assert made.status() == "expired"
    assert api_tokens.find(store, secret) is None


def test_what_cannot_be_is_refused(store):
    api_tokens.create(store, "bot", Caller())
    for name, may, said in (
        (" ", ("read",), "needs a name"),
        ("bot", ("read",), "There is a token 'bot' already"),
        ("other", ("everything",), "No permission 'everything'"),
    ):
        with pytest.raises(InputError, match=said):
            api_tokens.create(store, name, Caller(), may=may)
    assert len(api_tokens.tokens(store)) == 1


def test_the_secret_is_in_no_file_and_the_token_in_no_export(store, tmp_path):
    secret, made = api_tokens.create(store, "bot", Caller("mail"))
    store.close()
    files = [path for path in store.folder.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if secret.encode() in path.read_bytes()]
    file = tmp_path / "all.jsonl"
    export_registry(store, file)
    assert made.id not in file.read_text()
    assert "bot" not in file.read_text()
    assert all("Token" not in json.loads(line) for line in file.read_text().splitlines())


def test_the_answer_of_the_operation_holds_no_secret(store):
    secret, made = api_tokens.create(store, "bot", Caller())
    row = store.query(
        "MATCH (o:Operation {kind: 'token'}) RETURN o.result AS r", {}, limit=5, timeout=60
    ).rows[0]
    assert secret not in row["r"]
    assert made.id not in row["r"]
