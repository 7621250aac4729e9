"""The vocabulary: an index of field names by the words that people use for them.

A field's name is read as an owner and what the owner has: `order_id` is the identifier of an order,
`customer_email` an address of a customer, `refund_amount` a sum. The word lists are general
knowledge about how people write requests, nothing about any library.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from spm.registry.catalog.fields import folded, is_generic, singular

_KINDS = {
    "code": "id identifier number no nr num code key ref reference uuid sku",
    "email": "email mail",
    "url": "url link uri href",
    "date": "date day birthday",
    "since": "since",
    "expiry": "deadline expiry expiration",
    "time": "time at timestamp datetime",
    "start": "start begin beginning from",
    "end": "end finish until to",
    "amount": "amount price total cost fee balance budget salary",
    "percent": "percent percentage",
    "weight": "weight",
    "phone": "phone telephone mobile fax",
    "language": "language lang",
    "count": "count quantity qty",
    "name": "name label",
    "text": "text message title subject note query body comment summary description reason content "
    "question caption prompt headline",
}
TAILS = {word: kind for kind, said in _KINDS.items() for word in said.split()}
# Nouns that mean the same, in the languages requests are most often written in.
_NOUNS = {
    "customer": "client buyer shopper kunde kunden kundin kundennummer cliente clienta acheteur",
    "order": "bestellung bestellnummer auftrag commande pedido",
    "invoice": "bill rechnung rechnungsnummer facture factura",
    "shipment": "parcel package consignment sendung paket colis envío",
    "return": "rücksendung retoure retour devolución rma",
    "refund": "erstattung remboursement reembolso",
    "payment": "zahlung paiement pago",
    "receipt": "quittung beleg reçu recibo",
    "meeting": "event appointment termin réunion reunión",
    "event": "meeting appointment",
    "email": "mail",
    "phone": "tel telephone telefon téléphone teléfono",
    "product": "sku article item produkt artikel produit producto",
    "coupon": "voucher promo gutschein",
    "supplier": "vendor lieferant fournisseur proveedor",
    "postal": "zip postcode plz",
    "barcode": "ean upc gtin",
    "colleague": "coworker teammate",
}
# Words that only say what a value near them is: one pays a sum, but `pay 50` names no payment.
_HINTS = {
    "refund": "back reimburse overcharge overcharged erstatte erstatten rembourser remboursez "
    "reembolse",
    "payment": "pay paid",
    "purchase": "buy",
    "meeting": "calendar",
    "event": "calendar",
    "phone": "call sms text",
    "message": "mail email sms text tell say saying said reply answer write post",
    "discount": "coupon voucher rebate off rabatt remise descuento",
    "new": "change set update replace raise lower",
    "max": "under below maximum most",
    "min": "least minimum above",
}


def _turned(table: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """From each of the others to the words that it may mean."""
    found: dict[str, tuple[str, ...]] = {}
    for word, others in table.items():
        for other in others.split():
            found[other] = (*found.get(other, ()), word)
    return found


SYNONYMS = _turned(_NOUNS)
HINTS = _turned(_HINTS)
# Owners that nobody names, because a value of that kind already says them.
IMPLIED = {"period": "date", "range": "date", "interval": "date", "slot": "time"}
IMPLIED |= {"target": "language"}
_STEM, _LONG = 4, 40  # letters that a word must share with a longer form of it; of any word

_PHRASE = 8  # words of a name that anybody would speak


class Name(NamedTuple):
    """One name of a field, read as an owner and what it has."""

    field: str
    owner: tuple[str, ...]
    tail: str
    kind: str


class Vocabulary:
    """Fields, indexed by the words of their names.

    Attributes:
        fields: the fields themselves.
        owners: names by the whole phrase of their owner, then by kind.
        full: names by all their words, then by kind.
        tails: names by their last word.
        kinds: names by the kind of value that they take.
        owned: names by the last word of their owner.
        first: words with which a phrase may begin.
        longest: words in the longest phrase.
    """

    def __init__(self, fields: Iterable[str | Mapping[str, Any]]) -> None:
        """Index fields: bare names, or rows of `fields/vocabulary`."""
        self.fields: dict[str, list[str]] = {}
        self.owners: dict[tuple[str, ...], dict[str, list[Name]]] = {}
        self.full: dict[tuple[str, ...], dict[str, list[Name]]] = {}
        self.tails: dict[str, list[Name]] = defaultdict(list)
        self.kinds: dict[str, list[Name]] = defaultdict(list)
        self.owned: dict[str, list[Name]] = defaultdict(list)
        self._prefixes: dict[str, set[str]] = defaultdict(set)
        self._typos: dict[str, str] = {}
        for row in fields:
            self._add({"field": row} if isinstance(row, str) else row)
        self.longest = min(max(map(len, self.full), default=0), _PHRASE)
        self.first = {phrase[0] for phrase in (*self.full, *self.owners)}
        self._words = {word for phrase in self.full for word in phrase}
        for word in self._words:
            for end in range(_STEM, min(len(word), _LONG) + 1):
                self._prefixes[word[:end]].add(word)
        for phrase in self.owners:
            for word in phrase:
                self._typos |= {typo: word for typo in _typos(word) if typo not in self._words}

    def _add(self, row: Mapping[str, Any]) -> None:
        field, of = row["field"], row.get("type") or ""
        aliases = [*(row.get("aliases") or ()), *(row.get("same") or ())]
        self.fields[field] = aliases
        # A generic alias (`id`, `quantity`) names every owner's, so only the field itself may.
        for spelled in {field: 0, **{a: 0 for a in aliases if not is_generic(a)}}:
            parts = tuple(map(singular, folded(spelled)))
            if parts:
                self._index(_name(field, parts, of), parts)

    def _index(self, name: Name, parts: tuple[str, ...]) -> None:
        self.full.setdefault(parts, {}).setdefault(name.kind, []).append(name)
        self.kinds[name.kind].append(name)
        self.tails[name.tail].append(name)
        if name.owner:
            self.owners.setdefault(name.owner, {}).setdefault(name.kind, []).append(name)
            self.owned[name.owner[-1]].append(name)

    def noun(self, word: str) -> str:
        """The vocabulary's word for a word of a request, or the word itself in the singular."""
        base = singular(word.lower())
        known = [w for w in (base, *SYNONYMS.get(base, ())) if w in self._words]
        return known[0] if known else self._typos.get(base, base)

    def meanings(self, word: str) -> frozenset[str]:
        """Every word of the vocabulary that a word of a request may stand for."""
        base = singular(word.lower())
        found = {base, *SYNONYMS.get(base, ()), *HINTS.get(base, ())}
        found.update(self._prefixes.get(base, ()))
        found.update(base[:end] for end in range(_STEM, min(len(base), _LONG)))
        return frozenset(found & self._words)

    def abbreviated(self, prefix: str) -> list[str]:
        """The identifiers of the only noun that letters before a number can abbreviate."""
        start, noun = prefix.lower(), self.noun(prefix)
        starts = tuple(begin for begin in (start, noun) if len(begin) > 2)  # OPS-12 is no option
        found = []
        for owner, kinds in self.owners.items():
            single = len(owner) == 1 and len(start) > 2 and owner[0].startswith(starts)
            if single or (len(owner) > 1 and start == "".join(word[0] for word in owner)):
                found += [kinds["code"]] if "code" in kinds else []
        return [name.field for name in found[0]] if len(found) == 1 else []


def _name(field: str, parts: tuple[str, ...], of: str) -> Name:
    kind = TAILS.get(parts[-1], "plain")
    if of in ("array", "object", "boolean"):
        kind = "plain"
    elif of in ("integer", "number") and kind in ("plain", "date", "time", "text"):
        kind = "count"  # payment_days is a number of days
    return Name(field, () if kind == "plain" else parts[:-1], parts[-1], kind)


def _typos(word: str) -> set[str]:
    """A long word without one of its vowels, or with two letters exchanged, its ends untouched.

    Other slips make real words too often: without a consonant, `order` is the German `oder`.
    """
    if len(word) < 5:
        return set()
    inner = range(1, len(word) - 1)
    missing = {word[:at] + word[at + 1 :] for at in inner if word[at] in "aeiou"}
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in inner[:-1]}
    return (missing | swapped) - {word} - SYNONYMS.keys()
