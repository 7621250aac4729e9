"""Which requests can be English."""

import pytest

from spm.registry.request.language import in_english


@pytest.mark.parametrize(
    "text",
    [
        "status of order 1093?",
        "ticket 17",
        "open tickets acme",
        "I need a replication controller echo in namespace legacy, 2 replicas",
        "projects of team 3021, 30 per page",
        "the orders of 田中太郎",
        "jane@acme.com",
        "?",
        "",
    ],
)
def test_english(text):
    assert in_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Lösche bitte alle Bestellungen von Kunde 17",
        "注文17を削除してください",
        "Supprimez la commande 17 s'il vous plaît",
        "Borra todos los pedidos del cliente 17",
        "Verwijder alle bestellingen van klant 17",
        "Удали заказ 17",
        "Poista kaikki asiakkaan 17 tilaukset",
        "أرسل الإيصال للعميل",
    ],
)
def test_other_languages(text):
    assert not in_english(text)


def test_where_a_verb_was_found_only_another_script_speaks_against_it():
    assert in_english("Show the orders of the shop in Las Vegas", verbs=True)
    assert in_english("Show Los Angeles", verbs=True)
    assert in_english("Find customer Иванов", verbs=True)
    assert not in_english("store credit 17 を削除してください", verbs=True)
