"""Fewer trajectories: a library that never saw the others, and rows that point to it."""

import numpy as np
import pytest

from spm.evaluation.trace_shares import shares_of, thinned
from spm.gnn.arrays.array_expansion import expand
from spm.registry.errors import InputError
from tests.data.corpora import TASKS, corpus, library


@pytest.mark.parametrize(("share", "count"), [(0, 0), (0.25, 1), (0.5, 2), (0.75, 3)])
def test_a_share_of_the_trajectories_is_left(share, count):
    found = thinned(corpus(), share)
    assert len(found.library.trajectories) == len(found.teach) == count
    assert [row.question.text for row in found.teach] == found.library.requests
    assert all(row.library is found.library for row in [*found.teach, *found.judge])
    assert found.tasks == list(TASKS)
    assert len(found.judge) == 1
    assert found.digest != corpus().digest


def test_the_library_is_as_if_the_others_had_never_been():
    found = thinned(corpus(), 0.5).library
    traces = [
        (request, [found.tools[tool] for tool in found.paths[row].tolist()])
        for row, request in enumerate(found.requests)
    ]
    anew = library(traces=traces)
    assert np.array_equal(found.frequency, anew.frequency)
    assert np.array_equal(found.entries, anew.entries)
    for question in [TASKS[0].question, TASKS[2].question]:
        one, other = expand(found, question), expand(anew, question)
        assert one.tools == other.tools
        assert np.array_equal(one.precedes, other.precedes)


def test_everything_is_everything_and_shares_lie_in_each_other():
    whole = corpus()
    assert thinned(whole, 1) is whole
    few, more = (set(thinned(whole, share).library.trajectories) for share in (0.25, 0.75))
    assert few < more
    assert thinned(whole, 0.5).digest == thinned(corpus(), 0.5).digest
    drawn = {tuple(thinned(whole, 0.5, seed).library.trajectories) for seed in range(8)}
    assert len(drawn) > 1


def test_shares_are_read_as_people_write_them():
    assert shares_of("0, 0.25,1") == (0, 0.25, 1)
    assert shares_of("100%,5%,0") == (0, 0.05, 1)
    assert shares_of("1,1") == (1,)
    for text in ("2", "-1", "half", "101%", "nan"):
        with pytest.raises(InputError, match="no share"):
            shares_of(text)
    with pytest.raises(InputError, match="names no share"):
        shares_of(" , ")
