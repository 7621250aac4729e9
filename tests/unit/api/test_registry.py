"""The facade: what it adds to the layers below."""

import pytest

import spm
from spm.registry.demo import REQUEST
from spm.registry.errors import InputError, QueryRefused


def test_a_registry_opens_where_the_environment_says(tmp_path, monkeypatch):
    monkeypatch.setenv("SPM_STORE", str(tmp_path / "here"))
    with spm.open() as registry:
        assert registry.status()["store"] == str(tmp_path / "here")
        assert repr(registry) == f"<Registry {str(tmp_path / 'here')!r}>"


def test_a_menu_makes_the_vectors_that_it_needs(empty, manifest):
    empty.register(manifest("mail", send=(["address"], ["message_id"])))
    empty.menu("Send a message", encode=False)
    assert empty.vectors.pending() == 1
    heard = []
    menu = empty.menu("Send a message", progress=lambda done, total: heard.append((done, total)))
    assert [item.id for item in menu.items] == ["mail/send"]
    assert heard[-1] == (1, 1)
    heard.clear()
    empty.menu("Send a message", progress=lambda done, total: heard.append((done, total)))
    assert heard == []


def test_every_question_makes_the_vectors_that_it_needs(empty, manifest):
    empty.register(manifest("mail", send=(["address"], ["message_id"])))
    assert empty.why_not("Send a message", "send").rank == 1


def test_a_menu_follows_its_arguments(shop_registry):
    plain = shop_registry.menu(REQUEST)
    done = shop_registry.menu(REQUEST, done=["lookup_order"], state=["customer_id"], size=5)
    assert plain.route[0] == "orders/lookup_order"
    assert "orders/lookup_order" not in [item.id for item in done.items]
    assert "customer_id" in done.state
    assert len(done) == 5
    without = shop_registry.menu(REQUEST, without=["order_id"])
    assert "order_id" not in without.state
    with pytest.raises(InputError, match="empty"):
        shop_registry.menu(" ")


def test_a_caller_sees_its_own_tools(shop_registry):
    everything = {item.id for item in shop_registry.menu(REQUEST, size=100).items}
    reader = spm.Caller(team="support", read_only=True)
    seen = shop_registry.menu(REQUEST, size=100, caller=reader)
    assert {item.id for item in seen.items} < everything
    assert seen.revision == 0


def test_golden_requests_are_replayed(shop_registry, tmp_path):
    file = tmp_path / "golden.jsonl"
    file.write_text(f'{{"request": "{REQUEST}", "path": ["lookup_order"]}}\n')
    (found,) = shop_registry.check(file)
    assert found.chain == 1
    lost = shop_registry.impact("lookup_order", golden=file)
    assert [broken.request for broken in lost.golden] == [REQUEST]


def test_a_lock_tells_what_became_of_a_menu(shop_registry, tmp_path):
    lock = shop_registry.menu("Cancel order 991", size=4).lock("openai", token_budget=200)
    file = tmp_path / "menu.lock"
    file.write_text(lock.text())
    assert shop_registry.diff(file).same
    shop_registry.tools.deprecate("cancel_order")
    found = shop_registry.diff(file)
    assert found.left[0] == "orders/cancel_order"


def test_the_graph_answers_and_is_not_changed(shop_registry):
    assert shop_registry.plan("lookup_order", have=["order_id"]).ask == []
    assert shop_registry.saved_query("effects").columns
    with pytest.raises(QueryRefused):
        shop_registry.cypher("MATCH (t:Tool) DELETE t")


def test_a_registry_moves_through_a_file(shop_registry, empty, tmp_path):
    done = shop_registry.export(tmp_path / "all.gz")
    with pytest.raises(InputError, match="already there"):
        shop_registry.export(tmp_path / "all.gz")
    assert empty.import_file(tmp_path / "all.gz").sha256 == done.sha256
    assert empty.menu(REQUEST).route == shop_registry.menu(REQUEST).route
