"""API tokens."""

import pytest

import spm
from spm.registry.errors import InputError


def test_tokens_are_created_listed_and_revoked(empty):
    secret, made = empty.tokens.create("ci", spm.Caller(team="support"), may=["read", "traces"])
    assert made.id not in secret
    assert made.may == ("read", "traces")
    assert [token.status() for token in empty.tokens.list()] == ["active"]
    with pytest.raises(InputError, match="already"):
        empty.tokens.create("ci")
    empty.tokens.revoke("ci")
    assert [token.status() for token in empty.tokens.list()] == ["revoked"]
