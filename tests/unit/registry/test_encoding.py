"""Keeping vectors up to date, with an encoder that only counts."""

import numpy as np
import pytest

from spm.registry import encoding
from spm.registry.errors import EncoderMismatch


class Counting:
    """Three numbers per text; remembers what it was asked."""

    dimensions = 3

    def __init__(self, name: str = "counting") -> None:
        self.name = name
        self.asked: list[str] = []

    def encode_documents(self, texts, progress=None):
        return self._encode("d", texts, progress)

    def encode_requests(self, texts, progress=None):
        return self._encode("r", texts, progress)

    def _encode(self, kind, texts, progress):
        self.asked += [f"{kind}:{text}" for text in texts]
        for done in range(1, len(texts) + 1):
            if progress:
                progress(done)
        return np.tile(np.array([1, 0, 0], np.float32), (len(texts), 1))


@pytest.fixture
def two(registry, manifest, trace):
    registry.register(manifest("s", a={"description": "one"}, b=([], [])))
    registry.import_traces([trace("a", "b", request="do it")])
    return registry


def test_only_what_is_new_or_changed_is_encoded(two, manifest):
    counting = Counting()
    assert not two.encoded()
    assert two.encode(counting) == 3
    assert counting.asked == ["d:a. one", "d:b", "r:do it"]
    assert two.encoded()
    assert two.encode(counting) == 0
    two.register(manifest("s", a={"description": "two"}))
    counting.asked.clear()
    assert two.encode(counting) == 1
    assert counting.asked == ["d:a. two"]


def test_progress_counts_over_tools_and_trajectories(two):
    heard: list[tuple[int, int]] = []
    two.encode(Counting(), lambda done, total: heard.append((done, total)))
    assert heard == [(1, 3), (2, 3), (3, 3)]


def test_vectors_of_two_encoders_are_never_mixed(two):
    two.encode(Counting())
    with pytest.raises(
        EncoderMismatch, match=r"made by 'counting', not by 'other'.*--encoder other"
    ):
        two.encode(Counting("other"))
    with pytest.raises(EncoderMismatch):  # also when it was changed while this one encoded
        two.store.put_vectors("tool", ["s/a"], ["t"], ["d"], np.ones((1, 3), np.float32), "other")
    assert encoding.recorded(two.store) == "counting"


def test_another_encoder_begins_with_nothing(two):
    two.encode(Counting())
    other = Counting("other")
    other.dimensions = 3
    assert encoding.switch(two.store, other) == "counting"
    assert encoding.recorded(two.store) == "other"
    assert not any(two.store.encoded(kind) for kind in encoding.KINDS)
    assert two.encode(other) == 3
    assert encoding.switch(two.store, other) is None
    assert two.encoded()


def test_work_is_kept_batch_by_batch(two, monkeypatch):
    monkeypatch.setattr(encoding, "BATCH", 1)

    class Failing(Counting):
        def encode_documents(self, texts, progress=None):
            if self.asked:
                raise KeyboardInterrupt
            return super().encode_documents(texts, progress)

    with pytest.raises(KeyboardInterrupt):
        two.encode(Failing())
    assert two.encode(Counting()) == 2


@pytest.mark.parametrize("page", [1, 2, 3])
def test_texts_are_read_page_by_page(two, manifest, monkeypatch, page):
    monkeypatch.setattr(encoding, "PAGE", page)
    two.register(manifest("t", c=([], []), d=([], []), e=([], [])))
    heard: list[tuple[int, int]] = []
    counting = Counting()
    assert [one.id for one in encoding.waiting(two.store, "tool")] == sorted(
        row["id"] for row in two.store.read("tools/names")
    )
    assert encoding.count_waiting(two.store) == 6
    assert two.encode(counting, lambda done, total: heard.append((done, total))) == 6
    assert heard[-1] == (6, 6)
    assert len(counting.asked) == len(set(counting.asked)) == 6
    assert two.encoded()
    two.register(manifest("t", c=([], []), d={"description": "new"}, e=([], [])))
    assert [one.id for one in encoding.waiting(two.store, "tool")] == ["t/d"]


def test_vectors_of_removed_tools_are_dropped(two):
    two.encode(Counting())
    two.remove("b", force=True)
    assert "s/b" in two.store.encoded("tool")
    two.encode(Counting())
    assert list(two.store.encoded("tool")) == ["s/a"]


def test_pending_names_the_texts(two):
    two.encode(Counting())
    assert encoding.pending(two.store, "tool") == []
    assert encoding.pending(two.store, "trajectory") == []


def test_a_text_is_encoded_again_when_only_its_head_is_another(two):
    two.encode(Counting())
    (one, *_) = encoding.node_texts(two.store, "tool")
    assert encoding.digest(one.text) != encoding.digest(one.text, "head")
    assert encoding.digest(one.text) == encoding.digest(one.text, one.text)
