"""`spm encode`: which encoder a registry uses, changing it, and going on after an interruption."""

from pathlib import Path

import numpy as np
import pytest

from spm.gnn.encoders import by_name as encoders
from spm.registry import encoding
from spm.registry.errors import EncoderError
from spm.registry.registry import Registry


class Fake:
    """As many numbers per text as asked for; stops after some texts, as a killed process would."""

    def __init__(self, name: str, dimensions: int, last: int = 1_000_000) -> None:
        self.name, self.dimensions, self.last = name, dimensions, last
        self.asked: list[str] = []

    def encode_documents(self, texts, progress=None):
        if len(self.asked) + len(texts) > self.last:
            raise KeyboardInterrupt
        self.asked += texts
        return np.tile(np.eye(1, self.dimensions, dtype=np.float32), (len(texts), 1))

    encode_requests = encode_documents


@pytest.fixture
def fakes(monkeypatch):
    """Encoders by name, in place of those that `load_encoder` knows."""
    there = {f.name: f for f in (Fake("all-MiniLM-L6-v2", 3), Fake("acme/large", 5))}

    def load(name: str = "all-MiniLM-L6-v2") -> Fake:
        if name not in there:
            raise EncoderError(f"no {name}")
        return there[name]

    monkeypatch.setattr(encoders, "load_encoder", load)
    return there


@pytest.fixture
def tools(tmp_path, manifest):
    """A registry with three tools and no vectors."""
    with Registry.open(str(tmp_path / "three")) as registry:
        registry.register(manifest("s", a=([], ["x"]), b=(["x"], ["y"]), c=(["y"], [])))
    return tmp_path / "three"


def recorded(folder: Path) -> str | None:
    with Registry.open(str(folder)) as registry:
        return encoding.recorded(registry.store)


def test_encoding_is_incremental_and_uses_the_default(spm, tools, fakes):
    done = spm("encode", "--store", tools)
    assert done.out == "3 texts encoded by all-MiniLM-L6-v2 (3 dimensions)\n"
    assert done.code == 0
    assert spm("encode", "--store", tools, "--json").json == {
        "encoder": "all-MiniLM-L6-v2",
        "dimensions": 3,
        "encoded": 0,
        "replaced": None,
    }


def test_another_encoder_replaces_all_vectors_and_stays(spm, tools, fakes):
    spm("encode", "--store", tools)
    done = spm("encode", "--encoder", "acme/large", "--store", tools, "--json")
    assert done.json["encoded"] == 3
    assert done.json["replaced"] == "all-MiniLM-L6-v2"
    assert "'all-MiniLM-L6-v2' were dropped" in done.err
    fakes["all-MiniLM-L6-v2"].asked.clear()
    assert spm("demo", "--store", tools).code == 0
    assert len(fakes["acme/large"].asked) > 500
    assert fakes["all-MiniLM-L6-v2"].asked == []
    assert spm("encode", "--store", tools, "--json").json["encoder"] == "acme/large"


def test_a_run_that_was_stopped_is_continued(spm, tools, fakes, monkeypatch):
    monkeypatch.setattr(encoding, "BATCH", 1)
    spm("encode", "--store", tools)
    large = fakes["acme/large"]
    large.last = 2
    assert spm("encode", "--encoder", "acme/large", "--store", tools).code != 0
    assert recorded(tools) == "acme/large"
    large.last = 1_000_000
    assert spm("encode", "--store", tools, "--json").json["encoded"] == 1
    assert len(large.asked) == len(set(large.asked)) == 3


@pytest.mark.parametrize("step", ["drop", "write"])
def test_a_change_that_was_killed_leaves_vectors_of_one_encoder(
    spm, tools, fakes, monkeypatch, step
):
    spm("encode", "--store", tools)

    def killed(*given):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if step == "drop":
            patch.setattr("spm.registry.store.vector_files.VectorFiles.drop", killed)
        else:
            patch.setattr("spm.registry.store.embedded_store.EmbeddedStore.write", killed)
        assert spm("encode", "--encoder", "acme/large", "--store", tools).code != 0
    with Registry.open(str(tools)) as registry:
        assert registry.encoded() == (step == "drop")
        assert encoding.recorded(registry.store) == "all-MiniLM-L6-v2"
    assert spm("encode", "--store", tools).code == 0  # it can be used as it was
    done = spm("encode", "--encoder", "acme/large", "--store", tools, "--json")
    assert done.json["encoded"] == 3


def test_an_encoder_that_cannot_be_loaded_changes_nothing(spm, tools, fakes):
    spm("encode", "--store", tools)
    done = spm("encode", "--encoder", "acme/none", "--store", tools)
    assert (done.code, done.err) == (1, "spm: no acme/none\n")
    assert spm("encode", "--store", tools, "--json").json["encoded"] == 0


def test_a_new_registry_takes_the_encoder_of_the_environment(spm, tmp_path, fakes, monkeypatch):
    monkeypatch.setenv("SPM_ENCODER", "acme/large")
    assert spm("demo", "--store", tmp_path / "new").code == 0
    assert recorded(tmp_path / "new") == "acme/large"
    monkeypatch.setenv("SPM_ENCODER", "all-MiniLM-L6-v2")  # for new ones only
    assert spm("encode", "--store", tmp_path / "new", "--json").json["encoder"] == "acme/large"


def test_an_empty_registry_remembers_the_encoder_that_was_chosen(spm, tmp_path, fakes):
    store = tmp_path / "new"
    assert spm("encode", "--encoder", "acme/large", "--store", store).code == 0
    spm("demo", "--store", store)
    assert recorded(store) == "acme/large"


def test_nothing_is_written_when_the_encoder_of_the_registry_is_missing(spm, tools, fakes):
    spm("encode", "--encoder", "acme/large", "--store", tools)
    del fakes["acme/large"]
    assert spm("demo", "--store", tools).code == 1
    with Registry.open(str(tools)) as registry:
        assert registry.status()["tools"] == 3


def test_many_texts_say_how_to_go_on(spm, tools, fakes, monkeypatch):
    monkeypatch.setattr("spm.cli.vectors.MANY", 2)
    done = spm("encode", "--store", tools)
    assert done.err == "3 texts to encode. When this is stopped, go on with: spm encode\n"
