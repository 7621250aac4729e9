"""Derived edges against a data set's own: by hand, and on the public sets where they are."""

from pathlib import Path

import pytest

from benchmarks.field_links import NAMINGS, Agreement, compare
from spm.registry.errors import InputError
from tests.data.data_sets import write

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"


def tool(name, family, inputs, outputs):
    return {
        "name": name,
        "family": family,
        "inputs": [{"name": n} for n in inputs],
        "outputs": [{"name": n} for n in outputs],
    }


TOOLS = [
    tool(
        "find_order", "order", ["customer_id", "page"], ["id", "orders[].lineItems[].sku", "page"]
    ),
    tool("find_customer", "customer", ["email"], ["id"]),
    tool("cancel", "order", ["orderId", "page"], ["ok"]),
    tool("stock", "warehouse", ["line_item_skus", "id"], ["page"]),
]
GOLD = [
    {"from": "find_order", "to": "cancel"},
    {"from": "find_customer", "to": "find_order"},
    {"from": "stock", "to": "find_order"},
]


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "tools.jsonl.gz", TOOLS)
    write(tmp_path / "links.jsonl.gz", GOLD)
    return tmp_path


def test_each_way_of_naming_is_judged_by_the_same_edges(folder):
    found = {a.naming: a for a in compare(folder)}
    assert list(found) == list(NAMINGS)
    assert {a.gold for a in found.values()} == {3}
    # page goes from two makers to two takers, id from two makers to one; nothing else is alike
    assert (found["as spelled"].derived, found["as spelled"].agreed) == (5, 2)
    assert found["folded"].derived == 5
    # order_id and customer_id meet; page steers and id of the warehouse is another id
    assert (found["canonical"].derived, found["canonical"].agreed) == (2, 2)
    assert found["canonical"].precision == 1.0
    assert found["canonical"].recall == pytest.approx(2 / 3)


def test_flows_stand_in_for_links(folder):
    (folder / "links.jsonl.gz").rename(folder / "flows.jsonl.gz")
    assert [a.gold for a in compare(folder)] == [3, 3, 3]


def test_nothing_derived_is_no_precision_and_no_recall():
    empty = Agreement("x", 0, 0, 0)
    assert (empty.precision, empty.recall) == (0.0, 0.0)


def test_a_folder_without_edges_or_tools_is_refused(tmp_path):
    write(tmp_path / "tools.jsonl.gz", TOOLS)
    with pytest.raises(InputError, match="neither links"):
        compare(tmp_path)
    write(tmp_path / "links.jsonl.gz", GOLD)
    (tmp_path / "tools.jsonl.gz").unlink()
    with pytest.raises(InputError, match="Cannot read"):
        compare(tmp_path)


def test_a_file_that_is_not_whole_is_refused(folder):
    raw = (folder / "tools.jsonl.gz").read_bytes()
    (folder / "tools.jsonl.gz").write_bytes(raw[: len(raw) // 2])
    with pytest.raises(InputError, match="Cannot read"):
        compare(folder)


@pytest.mark.parametrize("name", ["traject_bench", "nestful"])
def test_canonical_names_are_more_precise_on_public_data(name):
    if not (SHARED / name / "tools.jsonl.gz").is_file():
        pytest.skip(f"{SHARED / name} is not here")
    found = {a.naming: a for a in compare(SHARED / name)}
    for agreement in found.values():
        print(agreement, f"{agreement.precision:.3f} {agreement.recall:.3f}")
    assert found["canonical"].precision > 1.5 * found["folded"].precision
    assert found["canonical"].recall > 0.1
    assert found["canonical"].agreed > 0.6 * found["folded"].agreed
