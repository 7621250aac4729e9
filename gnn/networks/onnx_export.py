"""The networks and the packaged encoder as ONNX graphs without weights.

A graph is what the weights do, not the weights: those stay in their one file (a checkpoint, the
encoder's package) and are handed to onnxruntime when a session is opened. So nothing is exported
when a model is trained, nothing is stored twice, and the graphs that are shipped fit every model
of their widths. `python -m spm.gnn.networks.onnx_export` makes them again (needs torch and onnx);
a test says when a network has changed.
"""

import hashlib
import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from spm.gnn.arrays.int8_vectors import BASE
from spm.gnn.features import Inputs
from spm.gnn.networks.input_rows import widths
from spm.gnn.networks.reranker import Reranker
from spm.gnn.networks.retriever import Retriever

OPSET = 17
NODES = 20  # of the example that is traced; every number of nodes fits
PREFIX = "network."  # of a weight's name in a graph


class _Retrieve(nn.Module):
    """`forward.retrieve`: one request, probabilities."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, relations: Tensor) -> tuple[Tensor, Tensor]:
        member, slot = self.network.dense(x[None], relations[None])
        return torch.sigmoid(member[0]), torch.softmax(slot[0], 0)


class _Rank(nn.Module):
    """`forward.order`: one request, logits."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor, pairs: Tensor) -> tuple[Tensor, ...]:
        found = self.network.dense(x[None], pairs[None])
        return found.entry[0], found.member[0], found.slot[0], found.precedence[0]


class _Read(nn.Module):
    """`MiniLM._read`: from one text's looked up tokens to their states, before pooling.

    Looking them up stays outside: a session would copy the whole table of words, half of all
    weights, of which a request needs twenty rows.
    """

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, embedded: Tensor) -> Tensor:
        x = self.network.embeddings.LayerNorm(embedded)[None]
        for layer in self.network.encoder.layer:
            found = layer(x)
            x = found[0] if isinstance(found, tuple) else found
        return x[0]


def graphs(encoder: Path | None = None) -> Iterator[tuple[str, bytes]]:
    """All graphs by name; the encoder's only where its folder is given."""
    for vectors in (False, True):
        candidate, chosen, pairs = widths(Inputs(vectors=vectors))
        yield f"retriever-{candidate}", retriever(candidate)
        yield f"reranker-{chosen}", reranker(chosen, pairs)
    yield "bytes", product()
    if encoder is not None:
        yield "minilm", minilm(encoder)


def retriever(features: int) -> bytes:
    """The graph of the first network."""
    example = torch.zeros(NODES, features), torch.zeros(NODES, NODES, dtype=torch.int64)
    names = {"x": ("n",), "relations": ("n", "n"), "member": ("n",), "slot": ("n",)}
    return _graph(_Retrieve(Retriever(features)), example, names, outputs=2)


def reranker(features: int, pairs: int) -> bytes:
    """The graph of the second network."""
    example = torch.zeros(NODES, features), torch.zeros(NODES, NODES, pairs)
    names = {"x": ("n",), "pairs": ("n", "n"), "entry": ("n",), "member": ("n",), "slot": ("n",)}
    return _graph(
        _Rank(Reranker(features, pairs)), example, {**names, "precedence": ("n", "n")}, outputs=4
    )


def product() -> bytes:
    """The graph of `Coarse.products`: digits around 64 times rows of bytes, in whole numbers."""
    from onnx import TensorProto, helper

    middle = helper.make_tensor("middle", TensorProto.UINT8, [], [BASE])
    taken = [helper.make_tensor_value_info("asked", TensorProto.UINT8, ["m", "width"])]
    given = [helper.make_tensor_value_info("products", TensorProto.INT32, ["m", "n"])]
    node = helper.make_node("MatMulInteger", ["asked", "rows", "middle"], ["products"])
    graph = helper.make_graph([node], "bytes", taken, given, [middle])
    opset = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8)
    found: bytes = model.SerializeToString(deterministic=True)
    return found


def minilm(folder: Path) -> bytes:
    """The graph of the packaged encoder."""
    from transformers import BertConfig, BertModel

    config = BertConfig.from_json_file(folder / "config.json")
    config._attn_implementation = "eager"  # what the exporter can follow
    network = BertModel(config, add_pooling_layer=False)
    example = (torch.zeros(NODES, config.hidden_size),)
    names: dict[str, tuple[str, ...]] = {"embedded": ("n",), "states": ("n",)}
    return _graph(_Read(network), example, names, outputs=1)


def _graph(
    module: nn.Module, example: tuple[Tensor, ...], names: dict[str, tuple[str, ...]], outputs: int
) -> bytes:
    for number, weights in enumerate(module.parameters()):
        nn.init.constant_(weights, number)  # the exporter makes one of two that are equal
    buffer = BytesIO()
    known = list(names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tracing warns of every shape that it takes for fixed
        torch.onnx.export(
            module.eval(),
            example,
            buffer,
            input_names=known[:-outputs],
            output_names=known[-outputs:],
            dynamic_axes={n: dict(enumerate(a)) for n, a in names.items()},
            opset_version=OPSET,
            dynamo=False,  # the newer exporter refuses these networks
            do_constant_folding=False,  # or weights would lose their names
        )
    return _bare(buffer.getvalue(), {name for name, _ in module.named_parameters()})


def _bare(data: bytes, weights: set[str]) -> bytes:
    """A graph whose weights stand elsewhere, under the names that they have in their file."""
    import onnx

    model = onnx.load_from_string(data)
    renamed = {}
    for tensor in model.graph.initializer:
        if tensor.name not in weights:
            continue
        renamed[tensor.name] = tensor.name.removeprefix(PREFIX)
        tensor.name = renamed[tensor.name]
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        del tensor.external_data[:]
        tensor.external_data.add(key="location", value="weights")
    for node in model.graph.node:
        node.input[:] = [renamed.get(name, name) for name in node.input]
        node.doc_string = ""  # where a line of this code was, on the machine that exported it
    model.producer_version = ""
    return model.SerializeToString(deterministic=True)


def write(folder: Path, made: Mapping[str, bytes]) -> dict[str, Any]:
    """Put graphs into a folder, with a manifest of their checksums."""
    from spm.registry.store import disk

    manifest = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(made.items())}
    for name, data in made.items():
        disk.replace(folder / f"{name}.onnx", data)
    disk.replace(folder / "manifest.json", (json.dumps(manifest, indent=2) + "\n").encode())
    return manifest


if __name__ == "__main__":
    from spm.gnn.encoders.by_name import weights_folder

    made = write(Path(__file__).parent / "exported", dict(graphs(weights_folder())))
    json.dump(made, sys.stdout, indent=2)
