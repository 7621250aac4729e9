"""Model files: what was written comes back, and nothing else is ever believed."""

import json
import math
import pickle
import resource
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load as unpack
from safetensors.numpy import save as pack

from spm.gnn import checkpoint
from spm.gnn.checkpoint import load, save
from spm.gnn.decoding import OrderWeights, SetWeights
from spm.gnn.features import Inputs
from spm.gnn.model import Design, Model, Provenance
from spm.gnn.networks.input_rows import widths
from spm.gnn.networks.numpy_forward import reranker_shapes, retriever_shapes
from spm.registry.errors import ModelError, StoreWriteFailed

Change = Callable[[dict[str, Any], dict[str, np.ndarray]], None]


def random_model(seed: int = 0, *, vectors: bool = True) -> Model:
    rng, (candidate, chosen, pairs) = np.random.default_rng(seed), widths(Inputs(vectors=vectors))
    retriever, reranker = (
        {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
        for shapes in (retriever_shapes(candidate), reranker_shapes(chosen, pairs))
    )
    return Model(
        retriever=retriever,
        reranker=reranker,
        sets=SetWeights(slot=0.05, field=0.1),
        orders=OrderWeights(entry=0.7),
        cut=0.35,
        design=Design(inputs=Inputs(vectors=vectors)),
        provenance=Provenance("näme", "mini", 7, 480, {"chain": 0.9}),
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good file; never written again."""
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    save(random_model(), path)
    return path


def same(left: Model, right: Model) -> bool:
    ours, theirs = asdict(left), asdict(right)
    for part in ("retriever", "reranker"):
        first, second = ours.pop(part), theirs.pop(part)
        if first.keys() != second.keys():
            return False
        if any(not np.array_equal(first[name], second[name]) for name in first):
            return False
    return ours == theirs


def forged(whole: Path, path: Path, change: Change) -> Path:
    """A file with something changed and a checksum that fits."""
    data = whole.read_bytes()
    length = int.from_bytes(data[:8], "little")
    manifest = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["spm"])
    tensors = dict(unpack(data))
    del manifest["digest"]
    change(manifest, tensors)
    manifest["digest"] = checkpoint._digest(tensors, manifest)
    path.write_bytes(pack(tensors, metadata={"spm": json.dumps(manifest, sort_keys=True)}))
    return path


def refused(path: Path, encoder: str | None = None) -> str:
    with pytest.raises(ModelError) as caught:
        load(path, encoder)
    assert str(path) in str(caught.value)  # the message names the file
    return str(caught.value)


# -- round trip ------------------------------------------------------------------------------


@pytest.mark.parametrize("vectors", [True, False])
def test_what_was_written_comes_back(tmp_path, vectors):
    written = save(random_model(3, vectors=vectors), tmp_path / "new" / "folder" / "m.safetensors")
    read = load(tmp_path / "new" / "folder" / "m.safetensors", "mini")
    assert same(written, read)
    assert written.digest
    assert [file.name for file in (tmp_path / "new" / "folder").iterdir()] == ["m.safetensors"]


def test_equal_models_are_equal_files(tmp_path, whole):
    digest = save(random_model(), tmp_path / "again").digest
    assert (tmp_path / "again").read_bytes() == whole.read_bytes()
    assert digest == load(whole).digest
    assert save(random_model(1), tmp_path / "other").digest != digest


def test_an_old_file_is_replaced(tmp_path):
    path = tmp_path / "model"
    save(random_model(0), path)
    second = save(random_model(1), path)
    assert load(path).digest == second.digest


def test_halves_are_read_as_singles(tmp_path):
    """A shipped model has half the size; arithmetic stays in single precision."""
    model = random_model()
    small = {name: values.astype(np.float16) for name, values in model.retriever.items()}
    save(Model(**{**vars(model), "retriever": small}), tmp_path / "half")
    read = load(tmp_path / "half")
    assert all(values.dtype == np.float32 for values in read.retriever.values())
    np.testing.assert_array_equal(read.retriever["beta"], small["beta"].astype(np.float32))


def test_the_shapes_are_those_of_the_networks():
    torch = pytest.importorskip("torch")
    from spm.gnn.networks.reranker import Reranker
    from spm.gnn.networks.retriever import Retriever

    torch.set_num_threads(1)
    candidate, chosen, pairs = widths()
    for network, shapes in (
        (Retriever(candidate), retriever_shapes(candidate)),
        (Reranker(chosen, pairs), reranker_shapes(chosen, pairs)),
    ):
        assert {name: tuple(v.shape) for name, v in network.state_dict().items()} == shapes


# -- damage ----------------------------------------------------------------------------------


def positions(data: bytes) -> list[int]:
    """Sixty places: the length, all over the header, and all over the weights."""
    header = 8 + int.from_bytes(data[:8], "little")
    rng = np.random.default_rng(0)
    drawn = rng.integers(8, header, 32), rng.integers(header, len(data), 20)
    return [*range(8), *np.concatenate(drawn).tolist()]


def test_a_flipped_byte_is_refused(tmp_path, whole):
    data, path = whole.read_bytes(), tmp_path / "flipped"
    for at in positions(data):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        refused(path)


def test_a_flipped_bit_never_makes_another_model(tmp_path, whole):
    """Some flips say the same in JSON (a space becomes another one); none says something else."""
    data, path, good = whole.read_bytes(), tmp_path / "flipped", load(whole)
    rng, refusals = np.random.default_rng(1), 0
    for at in positions(data):
        bit = 1 << int(rng.integers(8))
        path.write_bytes(data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :])
        try:
            assert same(load(path), good), f"bit {bit} of byte {at}"
        except ModelError:
            refusals += 1
    assert refusals > 50


@pytest.mark.parametrize("keep", [0, 1, 7, 8, 9, 500, 0.5, 0.999, -1])
def test_a_truncated_file_is_refused(tmp_path, whole, keep):
    data = whole.read_bytes()
    count = int(len(data) * keep) if isinstance(keep, float) else keep
    (tmp_path / "cut").write_bytes(data[:count])
    refused(tmp_path / "cut")


def test_bytes_behind_the_end_are_refused(tmp_path, whole):
    (tmp_path / "long").write_bytes(whole.read_bytes() + b"more")
    refused(tmp_path / "long")


def header(text: str, length: int | None = None) -> bytes:
    data = text.encode()
    return (len(data) if length is None else length).to_bytes(8, "little") + data


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(200),
        b"# a text file\n" * 20,
        header("{}", 2**63),
        header("{}", 2**64 - 1),
        header("{}"),
        header("[]"),
        header("null"),
        header('{"__metadata__": {"spm": "[1, 2]"}}'),
        header('{"__metadata__": {"spm": "7"}}'),
        header('{"__metadata__": {"spm": "{}"}}'),
        header('{"__metadata__": "spm"}'),
        header("[" * 200_000),
        header('{"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 999999]}}'),
        pickle.dumps({"retriever": list(range(100))}),
    ],
    ids=lambda data: repr(data[:12]),
)
def test_what_is_no_model_is_refused(tmp_path, data):
    (tmp_path / "other").write_bytes(data)
    refused(tmp_path / "other")


def test_a_pickle_is_never_loaded(tmp_path):
    """Unpickling would write a file; reading a model must not."""
    spell = f"cpathlib\nPath\n(V{tmp_path / 'touched'}\ntR."
    (tmp_path / "model").write_bytes(b"\x80\x02" + spell.encode())
    refused(tmp_path / "model")
    assert "pickle" not in Path(checkpoint.__file__).read_text()


def test_a_missing_file_a_folder_and_a_huge_one_are_refused(tmp_path):
    assert "cannot be read" in refused(tmp_path / "absent")
    assert "cannot be read" in refused(tmp_path)
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(checkpoint.LIMIT + 1)  # a hole, not a disk full of zeros
    assert "too large" in refused(tmp_path / "huge")


# -- a good checksum around something else ---------------------------------------------------


def put(part: str, key: str, value: Any) -> Change:
    def change(manifest: dict[str, Any], tensors: dict[str, np.ndarray]) -> None:
        (manifest if part == "manifest" else tensors)[key] = value

    return change


def design(part: str, key: str, value: Any) -> Change:
    def change(manifest: dict[str, Any], _: dict[str, np.ndarray]) -> None:
        manifest["design"][part][key] = value

    return change


def drop(part: str, key: str) -> Change:
    def change(manifest: dict[str, Any], tensors: dict[str, np.ndarray]) -> None:
        del (manifest if part == "manifest" else tensors)[key]

    return change


def spoil(name: str, value: float) -> Change:
    def change(_: dict[str, Any], tensors: dict[str, np.ndarray]) -> None:
        tensors[name] = tensors[name].copy()
        tensors[name].flat[-1] = value

    return change


def test_a_forged_file_with_nothing_changed_is_read(tmp_path, whole):
    """Otherwise the refusals below would prove nothing."""
    assert same(load(forged(whole, tmp_path / "m", lambda m, t: None)), load(whole))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("manifest", "format", 1), "format 1"),
        (drop("manifest", "format"), "format None"),
        (design("inputs", "candidate", ["smell"]), "other features"),
        (design("inputs", "pair", []), "other features"),
        (design("inputs", "pair", ["rank"]), "shape"),
        (design("inputs", "colour", 1), "damaged"),
        (design("networks", "heads", 3), "heads (got 3)"),
        (design("networks", "heads", 8), "shape"),
        (design("frontier", "anchors", -1), "anchors (got -1)"),
        (design("routing", "doubt", -1.0), "doubt (got -1.0)"),
        (drop("manifest", "design"), "damaged"),
        (drop("manifest", "provenance"), "damaged"),
        (drop("manifest", "sets"), "damaged"),
        (put("manifest", "sets", {"colour": 1.0}), "damaged"),
        (put("manifest", "orders", [1, 2]), "damaged"),
        (put("manifest", "cut", "high"), "damaged"),
        (put("manifest", "cut", math.nan), "no numbers"),
        (put("manifest", "orders", {"member": math.inf}), "no numbers"),
        (design("inputs", "vectors", False), "shape"),  # then rows are 128 numbers shorter
        (spoil("retriever.beta", math.nan), "no numbers"),
        (spoil("reranker.evidence", math.inf), "no numbers"),
        (spoil("reranker.blocks.1.outer.weight", -math.inf), "no numbers"),
        (drop("tensors", "retriever.enter.weight"), "retriever.enter.weight"),
        (drop("tensors", "retriever.summaries"), "retriever.summaries"),
        (drop("tensors", "reranker.blocks.0.norm1.bias"), "reranker.blocks.0.norm1.bias"),
        (drop("tensors", "reranker.before.weight"), "reranker.before.weight"),
        (put("tensors", "reranker.more", np.ones(3, np.float32)), "reranker.more"),
        (put("tensors", "other", np.ones(3, np.float32)), "other"),
        (put("tensors", "retriever.enter.weight", np.ones((128, 9), np.float32)), "(128, 9)"),
        (put("tensors", "retriever.slot.bias", np.ones((1, 8), np.float32)), "(1, 8)"),
        (put("tensors", "reranker.evidence", np.ones((), np.float32)), "()"),
    ],
)
def test_a_file_for_other_inputs_is_refused(tmp_path, whole, change, said):
    assert said in refused(forged(whole, tmp_path / "m", change))


def test_every_missing_array_is_missed(tmp_path, whole):
    for name in ("retriever.beta", "reranker.bias", "reranker.after.weight", "retriever.norm.bias"):
        assert name in refused(forged(whole, tmp_path / "m", drop("tensors", name)))


def test_the_encoder_must_be_the_one_it_was_trained_with(tmp_path, whole):
    assert "'mini'" in refused(whole, "other")
    assert load(whole, "mini").provenance.encoder == "mini"
    save(random_model(vectors=False), tmp_path / "prior")
    load(tmp_path / "prior", "other")  # it sees no text vectors


# -- failing to write ------------------------------------------------------------------------


def test_nothing_is_left_when_the_place_is_taken(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "inside").touch()
    with pytest.raises(StoreWriteFailed, match="model"):
        save(random_model(), tmp_path / "model")
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files")
def test_nothing_is_left_when_the_disk_is_full(tmp_path):
    path = tmp_path / "model"
    good = save(random_model(0), path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(StoreWriteFailed, match="Nothing was kept"):
            save(random_model(1), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [file.name for file in tmp_path.iterdir()] == ["model"]
    assert load(path).digest == good.digest
