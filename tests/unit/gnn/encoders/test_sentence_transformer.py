"""Encoders run by sentence-transformers, on models of two layers that are made here, offline.

All of them in one child process, as `worker_process` does it: starting one takes ten seconds.
"""

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from spm.gnn.encoders import sentence_transformer, worker_process
from spm.gnn.encoders.by_name import encoder_of, load_encoder, weights_folder
from spm.gnn.encoders.sentence_transformer import load_sentences
from spm.gnn.encoders.worker_process import RemoteEncoder
from spm.registry import encoding
from spm.registry.errors import EncoderError, EncoderMismatch

DATA = Path(__file__).parents[3] / "data"
TEXTS = ["read a file", "", "send a message " * 9, "read a file", "this sentence"]
BGE = "Represent this sentence for searching relevant passages: "
PROMPTS = ["", BGE, "query: ", "passage: ", "represent this: "]
SPOKEN = [prompt + text for prompt in PROMPTS for text in TEXTS]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of bare models; beside it a cache of the hub, which nobody reaches."""
    root = tmp_path_factory.mktemp("models")
    (root / "texts.json").write_text(json.dumps(SPOKEN))
    script = DATA / "workers" / "tiny_models.py"
    subprocess.run([sys.executable, script, root, root / "texts.json"], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker_process, "_child", None)  # one with another environment
        patch.setenv("HF_HUB_CACHE", str(root / "hub"))
        patch.setenv("HF_ENDPOINT", NOWHERE)
        yield root
        if worker_process._child is not None:
            worker_process._child.stop()


@pytest.fixture
def make(models: Path, tmp_path: Path) -> Callable[..., Path]:
    """Copy a bare model, and add what sentence-transformers keeps beside it on the hub."""

    def copied(
        name: str, pooling: str = "", *, of: str = "plain", at: Path = tmp_path, **prompts: str
    ) -> Path:
        folder = Path(shutil.copytree(models / of, at / name))
        return described(folder, pooling, **prompts) if pooling else folder

    return copied


def described(folder: Path, pooling: str, **prompts: str) -> Path:
    kinds = {"": "Transformer", "1_Pooling": "Pooling"}
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(kinds.items())
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    pools = {
        "word_embedding_dimension": 16,
        "pooling_mode_cls_token": pooling == "cls",
        "pooling_mode_mean_tokens": pooling == "mean",
    }
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pools))
    if prompts:
        (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
    return folder


@pytest.fixture
def check(models: Path) -> Callable[..., None]:
    """Compare rows with what was computed by hand."""

    def compared(rows: np.ndarray, pooling: str, prompt: str, of: str = "plain") -> None:
        by_hand = np.load(models / f"{of}.npy")
        assert rows.dtype == np.float32
        assert rows.shape == (len(TEXTS), 16)
        assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() < 1e-6
        for text, row in zip(TEXTS, rows, strict=True):
            wanted = by_hand[SPOKEN.index(prompt + text)]
            assert np.abs(wanted[0] - wanted[1]).max() > 0.01  # the two poolings do differ
            assert not prompt or np.abs(wanted - by_hand[SPOKEN.index(text)]).max() > 0.001
            assert np.abs(row - wanted[0 if pooling == "cls" else 1]).max() < 1e-5

    return compared


# -- what a vector is -------------------------------------------------------------------------


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_the_pooling_is_that_of_the_modules(make, check, pooling):
    encoder = RemoteEncoder(str(make("model", pooling)))
    assert encoder.notes == []
    assert encoder.dimensions == 16
    check(encoder.encode_documents(TEXTS), pooling, "")
    check(encoder.encode_requests(TEXTS), pooling, "")


def test_the_instructions_are_those_of_the_models_files(make, check):
    prompts = {"query": "represent this: ", "passage": "passage: "}
    folder = make("bge-small-en-v1.5", "mean", **prompts)  # whose family has another one
    encoder = RemoteEncoder(str(folder))
    assert encoder.notes == []
    check(encoder.encode_requests(TEXTS), "mean", "represent this: ")
    check(encoder.encode_documents(TEXTS), "mean", "passage: ")


def test_a_default_prompt_is_for_neither(make, check):
    folder = make("model", "mean")
    said = {"prompts": {"classify": "send: "}, "default_prompt_name": "classify"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(said))
    encoder = RemoteEncoder(str(folder))
    check(encoder.encode_documents(TEXTS), "mean", "")


@pytest.mark.parametrize(
    ("name", "pooling", "request_prompt", "document_prompt"),
    [
        ("bge-large-en-v1.5", "cls", BGE, ""),
        ("bge-m3", "cls", "", ""),
        ("multilingual-e5-base", "mean", "query: ", "passage: "),
        ("multilingual-e5-large-instruct", "mean", "", ""),
        ("gte-base", "mean", "", ""),
        ("all-mpnet-base-v2", "mean", "", ""),
    ],
)
def test_what_a_bare_folder_does_not_say_comes_from_its_family(
    make, check, name, pooling, request_prompt, document_prompt
):
    encoder = RemoteEncoder(str(make(name)))
    assert "no modules.json" in encoder.notes[0]
    assert repr(pooling) in encoder.notes[0]
    assert any("query instruction" in note for note in encoder.notes) == bool(request_prompt)
    check(encoder.encode_requests(TEXTS), pooling, request_prompt)
    check(encoder.encode_documents(TEXTS), pooling, document_prompt)


def test_weights_in_half_precision_are_computed_in_single(make, check):
    encoder = RemoteEncoder(str(make("model", "mean", of="half")))
    check(encoder.encode_documents(TEXTS), "mean", "", of="half")


def test_the_packaged_model_gives_the_vectors_of_the_default(models, encoder):
    with np.load(DATA / "minilm.npz") as stored:
        texts = [str(text) for text in stored["texts"]]
    found = RemoteEncoder(str(weights_folder())).encode_requests(texts)
    assert np.abs(found - encoder.encode_requests(texts)).max() < 1e-5  # measured: 2e-7


def test_progress_is_told_by_batches_and_no_texts_give_no_rows(models):
    encoder = RemoteEncoder(str(models / "plain"))
    heard: list[int] = []
    texts = ["read " * n for n in range(40)]
    rows = encoder.encode_documents([*texts, *texts[:5]], heard.append)
    assert heard == [32, 45]  # the short ones come last, five of them twice
    assert rows[40:].tobytes() == rows[:5].tobytes()
    assert np.abs(rows[7] - encoder.encode_documents([texts[7]])[0]).max() < 1e-5
    assert encoder.encode_documents([]).shape == (0, 16)


def test_text_that_is_not_valid_unicode_is_encoded(models):
    encoder = RemoteEncoder(str(models / "plain"))
    assert np.isfinite(encoder.encode_requests(["bad \ud800 half"])).all()


# -- names ------------------------------------------------------------------------------------


def test_the_name_of_a_folder_changes_with_its_files_and_not_with_its_place(make, tmp_path):
    def name(folder: Path) -> str:
        return sentence_transformer._folder_name(folder)

    first, again = make("model", at=tmp_path / "a"), make("model", at=tmp_path / "b")
    (again / "README.md").write_text("words about it")
    assert name(first) == name(again)
    assert name(first).startswith("model#")
    other = make("model", of="other", at=tmp_path / "c")
    names = {name(first), name(other), name(described(other, "cls"))}
    assert len(names) == 3


def test_the_digest_is_of_names_and_contents(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "config.json").write_text("{}")
    inner = hashlib.sha256(b"{}").hexdigest()
    wanted = hashlib.sha256(f"sub/config.json\0{inner}\n".encode()).hexdigest()
    assert sentence_transformer._digest(tmp_path) == wanted


def test_a_model_of_the_hub_is_known_by_its_commit_and_found_without_a_network(models, make, check):
    home = models / "hub" / "models--acme--tiny"
    (home / "refs").mkdir(parents=True)
    (home / "refs" / "main").write_text(COMMIT)
    folder = make(COMMIT, "cls", at=home / "snapshots")
    encoder = RemoteEncoder("acme/tiny")
    assert encoder.name == f"acme/tiny@{COMMIT}"
    assert RemoteEncoder(encoder.name).name == encoder.name
    assert RemoteEncoder(str(folder)).name == encoder.name
    check(encoder.encode_requests(TEXTS), "cls", "")
    with pytest.raises(EncoderError, match="could not be fetched"):
        RemoteEncoder(f"acme/tiny@{'f' * 40}")


# -- what goes wrong --------------------------------------------------------------------------


def test_a_hub_that_nobody_reaches_is_told_quickly(models):
    start = time.monotonic()
    with pytest.raises(EncoderError, match=r"'acme/other' is not on this machine.*give a folder"):
        RemoteEncoder("acme/other")
    assert time.monotonic() - start < 60


def test_a_hub_that_stays_silent_is_not_waited_for(monkeypatch, tmp_path):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(sentence_transformer, "HUB_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        start = time.monotonic()
        with pytest.raises(EncoderError, match="could not be fetched"):
            load_sentences("acme/other")
        assert time.monotonic() - start < 60


@pytest.mark.parametrize("name", ["./nothing", "/no/such/folder", "a/b/c"])
def test_a_path_without_a_folder_is_said_to_be_one(name):
    with pytest.raises(EncoderError, match="There is no folder"):
        load_sentences(name)


def test_a_folder_without_a_model_is_not_read_further(tmp_path):
    (tmp_path / "diary.txt").write_text("dear diary")
    with pytest.raises(EncoderError, match="holds no model"):
        load_sentences(str(tmp_path))


def test_pickled_weights_and_code_of_a_model_are_never_loaded(make):
    pickled = make("pickled")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(EncoderError, match=r"no \*\.safetensors"):
        load_sentences(str(pickled))
    own = make("own", "mean")
    (own / "mine.py").write_text("raise SystemExit('it ran')")
    modules = (own / "modules.json").read_text().replace("sentence_transformers.models.P", "mine.P")
    (own / "modules.json").write_text(modules)
    with pytest.raises(EncoderError, match=r"code of its own \(mine\.Pooling\)"):
        load_sentences(str(own))


@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "modules.json"])
def test_a_damaged_model_is_said_to_be_one(make, file):
    folder = make("model", "mean")
    (folder / file).write_bytes(b"{")
    with pytest.raises(EncoderError, match=r"No encoder can be loaded|cannot be read"):
        RemoteEncoder(str(folder))


@pytest.mark.parametrize("package", ["torch", "huggingface_hub"])
def test_a_missing_package_says_how_to_install_it(models, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    source = "acme/model" if package == "huggingface_hub" else str(models / "plain")
    with pytest.raises(EncoderError, match=r"pip install 'spm-registry\[train\]'"):
        load_sentences(source)


# -- the encoder of a registry ----------------------------------------------------------------


@pytest.fixture
def one(registry, manifest):
    registry.register(manifest("s", read={"description": "read a file"}))
    return registry


def test_a_registry_made_by_a_folder_asks_where_that_lies(one, make, models, tmp_path):
    there = {"SPM_ENCODER": str(models / "plain")}
    first = encoder_of(one.store, there)
    one.encode(first)
    assert encoding.recorded(one.store) == first.name
    assert encoder_of(one.store, there) is first
    with pytest.raises(EncoderError, match=r"export SPM_ENCODER=/path/to/plain"):
        encoder_of(one.store, {})
    other = make("plain", of="other")
    with pytest.raises(EncoderMismatch, match=r"spm encode --encoder /path/to/plain$"):
        encoder_of(one.store, {"SPM_ENCODER": str(other)})


def test_a_registry_changes_to_vectors_of_another_length_and_back(one, models, encoder):
    one.encode(encoder)
    tiny = load_encoder(str(models / "plain"))
    assert encoding.switch(one.store, tiny) == encoder.name
    assert one.encode(tiny) == 1
    request = tiny.encode_requests(["read a file"])[0]
    assert one.store.nearest("tool", request, 1)[0][0] == "s/read"
    assert encoding.switch(one.store, encoder) == tiny.name
    assert one.encode(encoder) == 1


# -- the child; last, because it has to be started again --------------------------------------


def test_nothing_comes_into_this_process_that_the_engine_has_no_room_beside(one, models):
    RemoteEncoder(str(models / "plain")).encode_documents(["read a file"])
    assert "kglite" in sys.modules
    assert not {"sentence_transformers", "sklearn"} & sys.modules.keys()


def test_an_answer_that_was_not_awaited_is_not_taken_for_the_next(models):
    def interrupted(done: int) -> None:
        raise KeyboardInterrupt

    encoder = RemoteEncoder(str(models / "plain"))
    with pytest.raises(KeyboardInterrupt):
        encoder.encode_documents(["read a file"], interrupted)
    assert worker_process._child is None


def test_a_child_that_was_killed_is_told_and_started_again(models):
    for _ in range(2):
        with pytest.raises(EncoderError, match="There is no folder"):
            RemoteEncoder("./nothing")
        child = worker_process._child
        assert child is not None
        os.kill(child.process.pid, signal.SIGKILL)
        with pytest.raises(EncoderError, match=r"has ended \(code -9\)"):
            RemoteEncoder("./nothing")
        assert worker_process._child is None
