import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm.registry.errors import ManifestError
from spm.registry.importers.python import read_python

SHOP = '''
from __future__ import annotations

import enum
from dataclasses import dataclass, field
from json import dumps
from typing import Annotated, Any, Literal, TypedDict

from pydantic import BaseModel, Field


class Order(TypedDict):
    id: str
    total: float


class Receipt(TypedDict, total=False):
    receipt_id: str
    orders: list[Order]


class Folder(TypedDict):
    name: str
    parent: Folder | None


@dataclass
class Customer:
    customer_id: str
    email: str
    friends: list[Customer] = field(default_factory=list)


class Invoice(BaseModel):
    invoice_id: str
    paid: bool = False


class Opaque:
    pass


def get_order(
    order_id: Annotated[str, Field(description="On the receipt")],
    currency: Literal["EUR", "USD"] = "EUR",
    *others: int,
    newest: bool = True,
    **more: Any,
) -> Order:
    """Find an
    order.

    The rest is for people.
    """


def create_receipt(order: Order, invoice: Invoice | None = None) -> Receipt | None:
    """Make a receipt."""


def get_customer(customer_id: str) -> Customer:
    """Find a customer."""


def pay_invoice(invoice_id: str) -> Invoice:
    """Pay."""


def get_customer_email(customer_id: str) -> str:
    """The address of a customer."""


async def list_numbers(limit: int = 3) -> list[int]:
    """Some numbers."""


def delete_order(order_id: str) -> None:
    """Forget an order."""


def find_folder() -> Folder:
    """A folder contains itself."""


def guess(thing: Opaque, default=object()) -> dict[str, Any]:
    """Nobody knows."""


def untyped(thing):
    """Nobody said."""


def undocumented():
    pass


def _private():
    """Hidden."""


class Desk:
    def open_ticket(self, subject: str) -> int:
        """Open a ticket."""
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module into the current folder; forgotten after the test."""
    before = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(name, text):
        path = tmp_path.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return name

    yield write
    for name in set(sys.modules) - before:
        if name.startswith("spm_test_"):
            del sys.modules[name]


@pytest.fixture
def shop(module):
    path = list(sys.path)
    source = read_python(module("spm_test_shop", SHOP))
    assert sys.path == path
    return source


def tools(source):
    return {tool.name: tool for tool in source.manifest.tools}


def fields(specs):
    return {field.name: field.type for field in specs}


def test_all_public_documented_functions_of_a_module_are_tools(shop):
    assert (shop.format, shop.manifest.service.name) == ("python", "spm_test_shop")
    assert set(tools(shop)) == {
        "get_order",
        "create_receipt",
        "get_customer",
        "pay_invoice",
        "get_customer_email",
        "list_numbers",
        "delete_order",
        "find_folder",
        "guess",
        "untyped",
    }
    assert "Left out, because it has no docstring (1): undocumented" in shop.notes


def test_a_signature_becomes_inputs(shop):
    order = tools(shop)["get_order"]
    assert order.description == "Find an order."
    assert [(i.name, i.type, i.required) for i in order.inputs] == [
        ("order_id", "string", True),
        ("currency", "string", False),
        ("newest", "boolean", False),
    ]
    assert order.inputs[0].description == "On the receipt"
    assert order.input_schema["properties"]["currency"]["enum"] == ["EUR", "USD"]
    assert order.call == {"format": "python", "module": "spm_test_shop", "function": "get_order"}


def test_nested_models_are_shared_definitions(shop):
    receipt = tools(shop)["create_receipt"]
    assert {"order", "id", "total", "invoice_id"} <= set(fields(receipt.inputs))
    assert receipt.input_schema["required"] == ["order"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("get_order", {"id": "string", "total": "number"}),
        (
            "create_receipt",
            {"receipt_id": "string", "orders": "array", "id": "string", "total": "number"},
        ),
        ("get_customer", {"customer_id": "string", "email": "string", "friends": "array"}),
        ("pay_invoice", {"invoice_id": "string", "paid": "boolean"}),
        ("get_customer_email", {"customer_email": "string"}),
        ("list_numbers", {"numbers": "array"}),
        ("delete_order", {}),
        ("guess", {}),
        ("untyped", {}),
    ],
)
def test_a_return_type_becomes_outputs(shop, name, expected):
    assert fields(tools(shop)[name].outputs) == expected


def test_a_type_that_contains_itself_ends(shop):
    assert {"name", "parent"} <= set(fields(tools(shop)["find_folder"].outputs))


def test_effects_are_guessed_from_the_name(shop):
    found = tools(shop)
    assert found["get_order"].effects == "read"
    assert found["delete_order"].effects == "destructive"
    assert found["pay_invoice"].effects == "write"


def test_what_is_unknown_is_noted(shop):
    notes = "\n".join(shop.notes)
    assert "names no fields, so no outputs are known (2): guess, untyped" in notes
    assert "no JSON Schema, so its fields are unknown (1): guess" in notes
    assert fields(tools(shop)["guess"].inputs) == {"thing": "string", "default": "string"}


def test_one_function_or_method_may_be_named(module):
    module("spm_test_shop", SHOP)
    (tool,) = read_python("spm_test_shop:_private").manifest.tools
    assert tool.name == "_private"
    (tool,) = read_python("spm_test_shop:Desk.open_ticket", service="desk").manifest.tools
    assert (tool.name, fields(tool.inputs)) == ("open_ticket", {"subject": "string"})
    assert fields(tool.outputs) == {"ticket": "integer"}
    assert tool.call == {
        "format": "python",
        "module": "spm_test_shop",
        "function": "Desk.open_ticket",
    }


def test_a_function_written_in_c_is_taken_as_far_as_it_can_be_read():
    (tool,) = read_python("math:sin").manifest.tools
    assert [field.name for field in tool.inputs] == ["x"]
    with pytest.raises(ManifestError, match="signature cannot be read"):
        read_python("builtins:min")


def test_hints_that_only_type_checkers_see_are_noted(module):
    module("spm_test_hints", 'def get_it(a: "Missing", b: int) -> int:\n    "Doc."\n')
    source = read_python("spm_test_hints")
    assert set(fields(source.manifest.tools[0].inputs)) == {"a", "b"}
    assert any("cannot be evaluated" in note and "Missing" in note for note in source.notes)


def test_installed_modules_come_before_the_current_folder(module):
    module("colorsys", "raise SystemExit('the wrong one')")
    sys.modules.pop("colorsys", None)
    with pytest.raises(ManifestError, match="no tool in it"):
        read_python("colorsys")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("raise ValueError('no such table')", "ValueError: no such table"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import nothing_of_that_name", "No module named 'nothing_of_that_name'"),
        ("def (", "SyntaxError"),
        ("assert False", "AssertionError: no message"),
    ],
)
def test_a_module_that_fails_to_import_is_named_with_its_error(module, text, message):
    module("spm_test_broken", text)
    with pytest.raises(ManifestError, match=message) as caught:
        read_python("spm_test_broken:anything")
    assert "Cannot import 'spm_test_broken'" in str(caught.value)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("", "is not a Python path"),
        (":get_order", "is not a Python path"),
        ("a b", "is not a Python path"),
        ("..shop", "is not a Python path"),
        ("shop.py/x", "is not a Python path"),
        ("spm_test_missing", "No module named"),
        ("spm_test_shop:nothing", "is not a function. Functions of the module: get_order, "),
        ("spm_test_shop:Order", "is not a function"),
        ("spm_test_shop:Desk.", "is not a function"),
    ],
)
def test_what_is_no_function_is_refused(module, target, message):
    module("spm_test_shop", SHOP)
    with pytest.raises(ManifestError, match=message):
        read_python(target)


@given(st.text(max_size=20))
def test_any_text_gives_a_source_or_a_manifest_error(target):
    try:
        read_python(f"spm.registry.catalog.naming:{target}")
    except ManifestError:
        return
