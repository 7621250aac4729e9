"""Vectors that an earlier evaluation made: the same to the bit, made once, and by one encoder."""

import numpy as np
import pytest

from spm.evaluation.vector_cache import BATCH, Recalling
from spm.gnn.encoders.by_name import load_encoder
from spm.registry.errors import InputError

TEXTS = ["Refund order 991", "Find a flight, then book a hotel", "Refund order 991", "torn \ud800"]


class Counted:
    """The packaged encoder, which tells what it was asked."""

    def __init__(self, name="all-MiniLM-L6-v2", fails_after=None):
        self._encoder = load_encoder()
        self.name, self.dimensions = name, self._encoder.dimensions
        self.asked, self._fails_after = [], fails_after

    def _told(self, texts):
        if self._fails_after is not None and len(self.asked) + len(texts) > self._fails_after:
            raise KeyboardInterrupt
        self.asked += texts

    def encode_documents(self, texts, progress=None):
        self._told(texts)
        return self._encoder.encode_documents(texts)

    def encode_requests(self, texts, progress=None):
        self._told(texts)
        return self._encoder.encode_requests(texts)

    def encode_clauses(self, texts, progress=None):
        self._told(texts)
        return self._encoder.encode_clauses(texts)


@pytest.mark.parametrize("kind", ["encode_documents", "encode_requests", "encode_clauses"])
def test_what_is_recalled_is_what_was_encoded(tmp_path, kind):
    file, first = tmp_path / "deep" / "vectors.sqlite", Counted()
    told: list[int] = []
    plain = getattr(load_encoder(), kind)(TEXTS)
    made = getattr(Recalling(first, file), kind)(TEXTS, told.append)
    again = Counted()
    recalled = getattr(Recalling(again, file), kind)(TEXTS)
    assert first.asked == list(dict.fromkeys(TEXTS)), "each text once"
    assert again.asked == []
    assert told[-1] == len(TEXTS)
    for found in (made, recalled):
        assert len(found) == len(TEXTS)
        for row, expected in zip(found, plain, strict=True):
            assert np.array_equal(row, expected)


def test_nothing_to_encode_has_the_shape_of_nothing(tmp_path):
    recalling = Recalling(Counted(), tmp_path / "vectors.sqlite")
    assert recalling.encode_documents([]).shape == (0, 384)
    assert recalling.encode_clauses([]) == []


def test_vectors_of_another_encoder_or_kind_are_not_taken(tmp_path):
    file = tmp_path / "vectors.sqlite"
    Recalling(Counted(), file).encode_requests(TEXTS)
    other, documents = Counted("another"), Counted()
    Recalling(other, file).encode_requests(TEXTS[:1])
    Recalling(documents, file).encode_documents(TEXTS[:1])
    assert other.asked == documents.asked == TEXTS[:1]


def test_what_was_made_before_a_kill_is_kept(tmp_path):
    file, texts = tmp_path / "vectors.sqlite", [f"text {number}" for number in range(BATCH + 8)]
    with pytest.raises(KeyboardInterrupt):
        Recalling(Counted(fails_after=BATCH), file).encode_requests(texts)
    rest = Counted()
    assert Recalling(rest, file).encode_requests(texts).shape == (len(texts), 384)
    assert rest.asked == texts[BATCH:]


def test_a_file_of_something_else_is_named_with_what_to_do(tmp_path):
    file = tmp_path / "vectors.sqlite"
    file.write_text("no database" * 100)
    with pytest.raises(InputError, match=r"vectors\.sqlite.*--cache"):
        Recalling(Counted(), file).encode_requests(["a"])
    assert file.read_text().startswith("no database"), "nothing was overwritten"
