"""The request fields: fields whose values stand in a request, and fields that a caller names."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spm.registry.catalog.fields import canonical
from spm.registry.catalog.naming import nearest
from spm.registry.errors import InputError
from spm.registry.request.parser import Reading
from spm.registry.request.vocabulary import Vocabulary
from spm.registry.store.reader import Reader

Fields = Vocabulary | Iterable[str | Mapping[str, Any]]


def vocabulary(store: Reader) -> Vocabulary:
    """The fields of a registry with types, spellings and the names that a person merged."""
    same: dict[str, list[str]] = defaultdict(list)
    for row in store.read("insight/same"):
        same[row["field"]].append(row["same"])
        same[row["same"]].append(row["field"])
    rows = store.read("fields/vocabulary")
    return Vocabulary([{**row, "same": same[row["field"]]} for row in rows])


def fields_in(request: str, known: Fields) -> list[str]:
    """The fields whose value stands in the request, sorted.

    What says so is general: an identifier beside its noun (`order 4821`, `4821 is the order`), a
    value of the field's kind near what it belongs to (an address near `customer`), quoted text, or
    the field's name itself (`order_id: 4821`).

    Args:
        request: what a user wrote.
        known: the fields: a `Vocabulary`, which whoever asks often makes once, or their names, or
            rows of `fields/vocabulary`.
    """
    return sorted(set(Reading(request, _indexed(known)).fields()))


def request_fields(
    request: str, said: Iterable[str], without: Iterable[str], known: Fields
) -> frozenset[str]:
    """The visible fields: what the request shows but for `without`, and what a caller says."""
    index = _indexed(known)
    shown = set(fields_in(request, index)) - set(named_fields(without, index).fields)
    return frozenset({*shown, *named_fields(said, index).fields})


@dataclass(frozen=True)
class Given:
    """Fields that a caller names besides the request.

    Attributes:
        fields: their canonical names, each once, in the order of naming.
        unknown: those that are not in the vocabulary, with the nearest that are.
    """

    fields: list[str]
    unknown: dict[str, list[str]]


def named_fields(items: Iterable[str], known: Fields = ()) -> Given:
    """Read `--state field[=value]` items; values are dropped.

    Args:
        items: as they were written. A name that only one field has as another spelling means it.
        known: the fields that there are; without them every field is reported as unknown.

    Raises:
        InputError: an item has no name.
    """
    items = list(items)
    if not items:  # most often: looking at every spelling takes longer than the rest of a menu
        return Given([], {})
    fields = _indexed(known).fields
    spelled: dict[str, set[str]] = defaultdict(set)
    for name, others in fields.items():
        for other in others:
            spelled[canonical(other)].add(name)
    found: dict[str, None] = {}
    for item in items:
        name = canonical(item.partition("=")[0])
        if not name:
            raise InputError(f"No field name in {item!r}. Write field or field=value.")
        meant = spelled[name] if name not in fields else ()
        found[min(meant) if len(meant) == 1 else name] = None
    unknown = [name for name in found if name not in fields]
    return Given(list(found), {name: nearest(name, sorted(fields)) for name in unknown})


def _indexed(known: Fields) -> Vocabulary:
    return known if isinstance(known, Vocabulary) else Vocabulary(known)
