"""Corpora made worse: exactly as much as was asked for, and nothing else."""

import numpy as np
import pytest

from spm.evaluation.datasets import DataSet, Episode
from spm.evaluation.variants import corrupted, documented, rewalked
from spm.registry.errors import InputError
from spm.registry.models import Manifest
from tests.data.corpora import corpus, library


@pytest.mark.parametrize(("share", "wrong"), [(0, 0), (0.25, 1), (0.5, 2), (1, 4)])
def test_a_share_of_the_paths_has_one_other_step(share, wrong):
    before = library()
    found = corrupted(corpus(before), share, seed=5)
    differing = 0
    for row in range(len(before.paths)):
        old, new = before.paths[row].tolist(), found.library.paths[row].tolist()
        assert len(old) == len(new)
        changed = sum(a != b for a, b in zip(old, new, strict=True))
        assert changed <= 1
        differing += changed
        assert found.teach[row].path == [before.tools[tool] for tool in dict.fromkeys(new)]
    assert wrong - 1 <= differing <= wrong  # another tool may by chance be the same one
    assert all(row.library is found.library for row in [*found.teach, *found.judge])
    assert found.judge[0].path == corpus(before).judge[0].path
    assert found.tasks == corpus(before).tasks


def test_counts_are_those_of_the_new_paths():
    known = library()
    same = rewalked(known, [known.paths[row].tolist() for row in range(len(known.paths))])
    assert np.array_equal(same.frequency, known.frequency)
    assert np.array_equal(same.entries, known.entries)
    for one, other in ((same.followers, known.followers), (same.later, known.later)):
        assert np.array_equal(one.starts, other.starts)
        assert np.array_equal(one.others, other.others)
        assert np.array_equal(one.counts, other.counts)


def test_corruption_tells_two_corpora_apart_and_is_drawn_by_a_seed():
    whole = corpus()
    assert corrupted(whole, 0.5).digest != whole.digest
    assert corrupted(whole, 0.5, 1).digest == corrupted(corpus(), 0.5, 1).digest
    drawn = {tuple(corrupted(whole, 0.5, seed).library.paths.values) for seed in range(5)}
    assert len(drawn) > 1
    with pytest.raises(InputError, match="no share"):
        corrupted(whole, 1.5)


def test_documentation_is_taken_away_in_steps():
    tool = {
        "name": "send",
        "description": "Sends it.",
        "inputs": [{"name": "mail"}],
        "outputs": [{"name": "message"}],
    }
    manifest = Manifest.model_validate({"spm": 1, "service": "shop", "tools": [tool]})
    data = DataSet("shop", manifest, [Episode("1", "send", ["shop/send"], [], "test")], 0)
    names, fields = documented(data, "names"), documented(data, "fields")
    assert documented(data, "all") == data
    assert (names.manifest.tools[0].description, names.manifest.tools[0].inputs) == ("", ())
    assert fields.manifest.tools[0].description == ""
    assert [one.name for one in fields.manifest.tools[0].inputs] == ["mail"]
    assert names.episodes == data.episodes
    with pytest.raises(InputError, match="'most'"):
        documented(data, "most")
