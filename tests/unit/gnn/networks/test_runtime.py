"""Which device and runtime are taken, what torch and numpy say of the same, and kept networks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from spm.gnn.encoders.by_name import weights_folder
from spm.gnn.encoders.minilm import MiniLM
from spm.gnn.features import Inputs
from spm.gnn.model_store import prior
from spm.gnn.networks import inference, runtime
from spm.gnn.networks.inference import networks_of
from spm.gnn.networks.input_rows import widths
from spm.gnn.networks.numpy_forward import NumpyNetworks, reranker_shapes, retriever_shapes
from spm.gnn.networks.passes import Candidates, Inference, Leading, answered
from spm.gnn.networks.sizes import Sizes
from spm.gnn.networks.torch_forward import TorchNetworks
from spm.gnn.training.config import shipped
from spm.registry.errors import InputError

WORKER = Path(__file__).parents[3] / "data" / "workers" / "torch_rows.py"
TEXTS = [
    "Email the customer the receipt for order 4821",
    "refund it, then tell the customer, and close the ticket",
    "",
    "Größe 住所 😀",
    "word " * 400,
]
CPU = torch.device("cpu")
HERE = torch.cuda.is_available()


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPM_RUNTIME", raising=False)
    monkeypatch.delenv("SPM_DEVICE", raising=False)


def candidates(*sizes: int) -> list[Candidates]:
    features = widths(prior().design.inputs)[0]
    rng = np.random.default_rng(sum(sizes))
    return [
        Candidates(
            rng.normal(size=(size, features)).astype(np.float32), rng.integers(0, 5, (size, size))
        )
        for size in sizes
    ]


def leading(*sizes: int) -> list[Leading]:
    _, features, pairs = widths(prior().design.inputs)
    rng = np.random.default_rng(sum(sizes))
    return [
        Leading(
            rng.normal(size=(size, features)).astype(np.float32),
            rng.normal(size=(size, size, pairs)).astype(np.float32),
        )
        for size in sizes
    ]


def both() -> tuple[Inference, Inference]:
    model = prior()
    weights = model.retriever, model.reranker
    return TorchNetworks(*weights, CPU), NumpyNetworks(*weights)


# -- the same from both ----------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(1,), (128,), (128, 5, 0, 1, 60), (0,), ()])
def test_both_runtimes_say_the_same_of_requests_together_and_alone(sizes: tuple[int, ...]) -> None:
    for networks in both():
        together = networks.retrieve(candidates(*sizes))
        assert [len(one.member) for one in together] == list(sizes)
    quick, light = (networks.retrieve(candidates(*sizes)) for networks in both())
    for one, other in zip(quick, light, strict=True):
        for found, expected in zip(one, other, strict=True):
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, atol=1e-5)
    quicker, lighter = (networks.order(leading(*sizes)) for networks in both())
    for first, second in zip(quicker, lighter, strict=True):
        for found, expected in zip(first, second, strict=True):
            assert found.shape == expected.shape
            np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("inputs", "sizes"),
    [
        (shipped("paper").design.inputs, shipped("paper").design.networks),
        (Inputs(dimensions=7), Sizes(width=48, heads=3, inner=40, layers=3, summaries=0)),
    ],
    ids=["paper", "other sizes"],
)
def test_both_runtimes_compute_networks_of_any_design(inputs: Inputs, sizes: Sizes) -> None:
    candidate, chosen, pairs = widths(inputs)
    rng = np.random.default_rng(5)
    retriever, reranker = (
        {name: rng.normal(0, 0.2, shape).astype(np.float32) for name, shape in shapes.items()}
        for shapes in (retriever_shapes(candidate, sizes), reranker_shapes(chosen, pairs, sizes))
    )
    asked = Candidates(
        rng.normal(size=(20, candidate)).astype(np.float32), rng.integers(0, 5, (20, 20))
    )
    leads = Leading(
        rng.normal(size=(9, chosen)).astype(np.float32),
        rng.normal(size=(9, 9, pairs)).astype(np.float32),
    )
    quick, light = TorchNetworks(retriever, reranker, CPU), NumpyNetworks(retriever, reranker)
    for one, other in (
        (quick.retrieve([asked])[0], light.retrieve([asked])[0]),
        (quick.order([leads])[0], light.order([leads])[0]),
    ):
        for found, expected in zip(one, other, strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-4)


def test_more_requests_than_one_pass_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spm.gnn.networks.torch_forward.TOGETHER", 2)
    networks, asked = both()[0], candidates(3, 4, 0, 5, 6, 7)
    alone = [networks.retrieve([one])[0] for one in asked]
    for found, expected in zip(networks.retrieve(asked), alone, strict=True):
        np.testing.assert_allclose(found.member, expected.member, atol=1e-6)


def test_whoever_orders_needs_the_second_network() -> None:
    with pytest.raises(ValueError, match="second network"):
        TorchNetworks(prior().retriever, {}, CPU).order(leading(3))


@pytest.mark.usefixtures("computed")
def test_the_encoder_is_transformers_in_every_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pooling too: taking the first token for the text would go unnoticed otherwise."""
    asked, answer = tmp_path / "texts.json", tmp_path / "rows.npz"
    asked.write_text(json.dumps(TEXTS))
    subprocess.run([sys.executable, str(WORKER), str(asked), str(answer)], check=True)
    for name in ("numpy", "torch"):
        monkeypatch.setenv("SPM_RUNTIME", name)
        found = MiniLM(weights_folder()).encode_clauses(TEXTS)
        with np.load(answer, allow_pickle=False) as kept:
            for rows, part in zip(found, kept.files, strict=True):
                assert rows.shape == kept[part].shape
                np.testing.assert_allclose(rows, kept[part], atol=1e-5)


@pytest.mark.usefixtures("computed")
def test_torch_reads_many_texts_in_order_whatever_their_lengths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [f"{'word ' * (number % 7)} number {number}" for number in range(150)]
    texts += texts[:3]
    told: list[int] = []
    expected = MiniLM(weights_folder()).encode(texts)
    monkeypatch.setenv("SPM_RUNTIME", "torch")
    found = MiniLM(weights_folder()).encode(texts, told.append)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert told == list(range(1, 154))


# -- what many ask at once -------------------------------------------------------------------


class Counting:
    """Networks that say how many they were asked in each pass."""

    def __init__(self):
        self.passes: list[tuple[str, int]] = []
        self._networks = both()[1]

    def retrieve(self, asked):
        self.passes.append(("first", len(asked)))
        return self._networks.retrieve(asked)

    def order(self, asked):
        self.passes.append(("second", len(asked)))
        return self._networks.order(asked)


def steps(number, size, *, also=False):
    (one,) = candidates(size)
    belief = yield one
    if also:
        (two,) = leading(4)
        order = yield two
        return number, len(belief.member), len(order.entry)
    return number, len(belief.member)


def test_what_many_ask_at_the_same_time_is_one_pass():
    networks = Counting()
    found = answered(networks, [steps(0, 5), steps(1, 7, also=True), steps(2, 6, also=True)])
    assert found == [(0, 5), (1, 7, 4), (2, 6, 4)]
    assert networks.passes == [("first", 3), ("second", 2)]


def test_a_computation_that_fails_closes_the_others():
    closed = []

    def patient():
        try:
            yield candidates(3)[0]
        finally:
            closed.append(True)

    def failing():
        yield candidates(3)[0]
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        answered(Counting(), [failing(), patient()])
    assert closed == [True]


# -- which device and which runtime ----------------------------------------------------------


@pytest.mark.skipif(HERE, reason="there is a GPU: what happens without one is not seen")
def test_without_a_gpu_numpy_computes_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    for said in ("", "auto", "cpu"):
        monkeypatch.setenv("SPM_DEVICE", said)
        assert (runtime.device(), runtime.chosen()) == ("cpu", "numpy")
    monkeypatch.setenv("SPM_RUNTIME", "torch")
    assert runtime.chosen() == "torch"
    assert runtime.torch_device() == CPU


@pytest.mark.skipif(HERE, reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_an_error_with_the_next_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPM_DEVICE", "cuda")
    with pytest.raises(InputError, match=r"'cuda' was asked for, but torch .*--device cpu"):
        runtime.device()
    monkeypatch.setenv("SPM_DEVICE", "cpu")
    with pytest.raises(InputError, match="cuda"), runtime.computing_on("cuda"):
        raise AssertionError("nothing is computed")
    assert os.environ["SPM_DEVICE"] == "cpu"


def test_a_gpu_takes_torch_and_the_cpu_can_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "_gpu_is_likely", lambda: True)
    monkeypatch.setattr(runtime, "_why_no_gpu", lambda: "")
    assert (runtime.device(), runtime.chosen()) == ("cuda", "torch")
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert runtime.torch_device() == torch.device("cuda", 1)
    with runtime.computing_on("cpu"):
        assert (runtime.device(), runtime.chosen()) == ("cpu", "numpy")
    assert runtime.device() == "cuda"
    monkeypatch.setenv("SPM_RUNTIME", "numpy")
    assert runtime.chosen() == "numpy"
    monkeypatch.setenv("SPM_DEVICE", "cuda")
    with pytest.raises(InputError, match="Leave one of them unset"):
        runtime.chosen()


@pytest.mark.parametrize(("variable", "known"), [("DEVICE", "auto, cpu"), ("RUNTIME", "numpy")])
def test_what_is_not_known_is_refused(
    variable: str, known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"SPM_{variable}", "tpu")
    with pytest.raises(InputError, match=f"SPM_{variable} is 'tpu'. Known: .*{known}"):
        runtime.chosen()


def test_without_torch_its_runtime_is_refused_and_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runtime, "_installed", lambda: False)
    runtime._gpu_is_likely.cache_clear()
    runtime._why_no_gpu.cache_clear()
    try:
        monkeypatch.setenv("SPM_RUNTIME", "torch")
        with pytest.raises(InputError, match="pip install"):
            runtime.chosen()
        monkeypatch.setenv("SPM_DEVICE", "cuda")
        with pytest.raises(InputError, match=r"not installed.*pip install"):
            runtime.device()
    finally:
        runtime._gpu_is_likely.cache_clear()
        runtime._why_no_gpu.cache_clear()


# -- networks that are kept ------------------------------------------------------------------


def test_the_same_model_read_twice_has_its_networks_once() -> None:
    """Each thread of a service reads the file for itself."""
    first, second = prior(), prior()
    assert first is not second
    assert networks_of(first) is networks_of(second)


def test_another_runtime_has_networks_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    light = networks_of(prior())
    assert isinstance(light, NumpyNetworks)
    monkeypatch.setenv("SPM_RUNTIME", "torch")
    assert isinstance(networks_of(prior()), TorchNetworks)
    monkeypatch.delenv("SPM_RUNTIME")
    assert networks_of(prior()) is light


def test_the_networks_of_a_few_models_are_kept() -> None:
    made = [replace(prior(), digest=f"model {number}") for number in range(inference.KEPT + 1)]
    kept = [networks_of(model) for model in made]
    assert networks_of(made[-1]) is kept[-1]
    assert networks_of(made[1]) is kept[1]
    assert networks_of(made[0]) is not kept[0]
    unsaved = [replace(prior(), digest="") for _ in range(2)]
    assert networks_of(unsaved[0]) is not networks_of(unsaved[1])
