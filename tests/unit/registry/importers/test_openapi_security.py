"""Scopes are scopes, schemes are not, and credentials are no arguments."""

from typing import Any

import pytest

from spm.registry.importers.openapi import read_openapi
from spm.registry.models import ToolSpec

SCHEMES: dict[str, Any] = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "key": {"type": "apiKey", "in": "query", "name": "k"},
    "login": {"type": "oauth2", "flows": {}},
    "connect": {"type": "openIdConnect", "openIdConnectUrl": "https://id.example"},
    "header": {"$ref": "#/components/x-schemes/header"},
}


def read(operation: dict[str, Any], method: str = "get", path: str = "/orders") -> ToolSpec:
    """The one tool of a document with these schemes."""
    header = {"type": "apiKey", "in": "header", "name": "X-Shop-Session"}
    components = {"securitySchemes": SCHEMES, "x-schemes": {"header": header}}
    document = {"openapi": "3.1.0", "info": {}, "components": components}
    document["paths"] = {path: {method: {"operationId": "op", "responses": {}, **operation}}}
    return read_openapi(document, "one").manifest.tools[0]


@pytest.mark.parametrize(
    ("security", "scopes"),
    [
        ([{"bearer": []}], ()),
        ([{"key": []}, {"login": ["orders:read"]}], ()),
        ([{"login": ["orders:read"], "key": []}], ("orders:read",)),
        ([{"connect": ["openid", "orders"]}], ("openid", "orders")),
        ([{"login": ["none"]}], ()),
        ([{"login": ["orders:read"]}, {}], ()),
        ([{"login": "orders:read"}], ()),
        ("bearer", ()),
    ],
)
def test_only_what_is_listed_is_a_scope(security, scopes):
    assert read({"security": security}).scopes == scopes


def parameter(name: str, place: str, description: str = "", **more: object) -> dict[str, Any]:
    return {"name": name, "in": place, "description": description, "required": True, **more}


@pytest.mark.parametrize(
    "given",
    [
        parameter("k", "query"),
        parameter("x-shop-session", "header"),
        parameter("Authorization", "header"),
        parameter("Accept", "header"),
        parameter("token", "query", "Authentication token. Requires scope: `chat:write`"),
        parameter("token", "header", "The bearer token of the app."),
        parameter("X-Auth-Token", "header"),
    ],
)
def test_credentials_are_no_arguments_but_keep_their_place_in_the_call(given):
    tool = read({"parameters": [given, parameter("status", "query")]})
    assert [spec.name for spec in tool.inputs] == ["status"]
    assert tool.input_schema is not None
    assert list(tool.input_schema["properties"]) == ["status"]
    assert tool.input_schema["required"] == ["status"]
    assert tool.call is not None
    assert tool.call["parameters"] == {given["name"]: given["in"], "status": "query"}


@pytest.mark.parametrize(
    "given",
    [
        parameter("k", "header"),  # the scheme is another parameter's
        parameter("token", "query", "The package token."),
        parameter("token", "query", "A token to authorize a payment with."),
        parameter("X-Idempotency-Key", "header", "Unique."),
        parameter("status", "query", "Authentication status to look for."),
    ],
)
def test_what_only_sounds_like_a_credential_stays(given):
    assert [spec.name for spec in read({"parameters": [given]}).inputs] == [given["name"]]


def test_a_token_in_the_path_is_what_the_operation_is_about():
    given = parameter("token", "path", "Authentication token to look at.")
    tool = read({"parameters": [given]}, path="/tokens/{token}")
    assert [(spec.name, spec.required) for spec in tool.inputs] == [("token", True)]


def test_credentials_of_forms_are_left_out_too():
    said = "Authentication token."
    forms = [
        {"name": "token", "in": "formData", "description": said, "type": "string"},
        {"name": "text", "in": "formData", "type": "string", "required": True},
    ]
    paths = {"/chat.post": {"post": {"operationId": "post", "parameters": forms}}}
    document = {"swagger": "2.0", "info": {}, "paths": paths}
    (tool,) = read_openapi(document, "chat").manifest.tools
    assert [spec.name for spec in tool.inputs] == ["text"]
