"""The vectors of a registry."""


def test_vectors_are_made_and_forgotten(empty, manifest):
    vectors = empty.vectors
    assert vectors.complete()
    empty.register(manifest("mail", send=(["address"], ["message_id"])))
    assert not vectors.complete()
    assert vectors.pending() == 1
    done = empty.encode()
    assert (done.encoded, done.replaced, done.encoder) == (1, None, vectors.encoder().name)
    assert vectors.complete()
    assert empty.encode().encoded == 0


def test_a_complete_state_is_remembered_until_it_changes(empty, manifest, monkeypatch):
    empty.register(manifest("mail", send=(["address"], ["message_id"])))
    empty.vectors.encode()
    assert empty.vectors.complete()
    monkeypatch.setattr(empty.core, "encoded", lambda: 1 / 0)
    assert empty.vectors.complete()  # and nothing was looked at again
    monkeypatch.undo()
    empty.register(manifest("mail", send=(["address"], ["message_id"]), draft=([], ["draft_id"])))
    assert not empty.vectors.complete()
