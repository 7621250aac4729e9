"""Fields that a person declared to be the same, taken as one in the contracts of tools."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spm.gnn.arrays.library import Ints, Rows
from spm.registry.frontier.frontier import representatives


@dataclass(frozen=True)
class MergedFields:
    """The contracts of tools over merged fields; as `Library` has them.

    Attributes:
        fields: the names that stand for merged fields, and all others, sorted.
        takes: the fields that each tool requires, numbers into `fields`.
        gives: the fields that it produces.
        same: which name stands for a merged one.
    """

    fields: Sequence[str]
    takes: Rows
    gives: Rows
    same: Mapping[str, str]


def merge_fields(
    names: Sequence[str], takes: Rows, gives: Rows, pairs: Iterable[Sequence[str]]
) -> MergedFields:
    """Merge fields in the contracts of all tools.

    Args:
        names: all fields.
        takes: the fields that each tool requires, numbers into `names`.
        gives: the fields that it produces.
        pairs: names that are the same.
    """
    same = representatives(pairs)
    used = np.unique(np.concatenate([takes.values, gives.values])).tolist()
    stands = {at: same.get(names[at], names[at]) for at in used}
    fields = sorted(set(stands.values()))
    number = {name: at for at, name in enumerate(fields)}
    codes = np.zeros(len(names), dtype=np.int64)
    codes[used] = [number[stands[at]] for at in used]
    taken, given = (_renumbered(rows, codes, len(fields)) for rows in (takes, gives))
    return MergedFields(fields, taken, given, same)


def _renumbered(rows: Rows, codes: Ints, size: int) -> Rows:
    """The same lists with other numbers, sorted and each once."""
    owner = np.repeat(np.arange(len(rows)), np.diff(rows.starts))
    owner, values = np.divmod(np.unique(owner * size + codes[rows.values]), max(1, size))
    starts = np.searchsorted(owner, np.arange(len(rows) + 1)).astype(np.int64)
    return Rows(starts, values.astype(np.int64))
