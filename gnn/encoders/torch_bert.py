"""BERT by torch, for many texts at once: the network of `minilm` with padding, on any device.

The few layers are written out: transformers loads scikit-learn, whose second OpenMP library does
not fit into one process with torch and the embedded engine (see `worker_process`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

TOGETHER = 64  # texts in one pass
AHEAD = 16  # passes whose texts are sorted by length, so that little is padding


class TorchBert:
    """The layers of one BERT on one device.

    Args:
        weights: by their published names.
        layers: how many.
        heads: of attention.
        epsilon: of the normalisations.
        device: where they are put.
    """

    def __init__(
        self,
        weights: Mapping[str, NDArray[np.float32]],
        layers: int,
        heads: int,
        epsilon: float,
        device: torch.device,
    ) -> None:
        self._weights = {
            name: torch.from_numpy(np.array(values)).to(device)
            for name, values in weights.items()
            if name.startswith(("embeddings.", "encoder."))
        }
        self._layers, self._heads, self._epsilon = layers, heads, epsilon
        self._device = device

    def states(self, texts: Iterable[Sequence[int]]) -> Iterator[NDArray[np.float32]]:
        """The states of the tokens of each text, (tokens, width), in order."""
        waiting = iter(texts)
        while some := list(islice(waiting, TOGETHER * AHEAD)):
            found: dict[int, NDArray[np.float32]] = {}
            order = sorted(range(len(some)), key=lambda at: len(some[at]))
            for start in range(0, len(order), TOGETHER):
                part = order[start : start + TOGETHER]
                found |= zip(part, self._pass([some[at] for at in part]), strict=True)
            yield from (found[at] for at in range(len(some)))

    def _pass(self, texts: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        sizes = [len(text) for text in texts]
        ids = torch.zeros(len(texts), max(sizes), dtype=torch.long, device="cpu")
        real = torch.zeros(len(texts), max(sizes), dtype=torch.bool, device="cpu")
        for row, text in enumerate(texts):
            ids[row, : len(text)] = torch.tensor(text, dtype=torch.long, device="cpu")
            real[row, : len(text)] = True
        with torch.inference_mode():
            states = self.forward(ids.to(self._device), real.to(self._device)).cpu().numpy()
        return [rows[:size] for rows, size in zip(states, sizes, strict=True)]

    def forward(self, ids: Tensor, real: Tensor) -> Tensor:
        """States of tokens (texts, tokens, width); `real` says which tokens are no padding."""
        weights = self._weights
        x = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][: ids.size(1)]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        x = self._normalise(x, "embeddings.LayerNorm")
        for number in range(self._layers):
            layer = f"encoder.layer.{number}"
            attended = self._linear(self._attend(x, real, layer), f"{layer}.attention.output.dense")
            x = self._normalise(x + attended, f"{layer}.attention.output.LayerNorm")
            wide = functional.gelu(self._linear(x, f"{layer}.intermediate.dense"))
            x = self._normalise(
                x + self._linear(wide, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
            )
        return x

    def _attend(self, x: Tensor, real: Tensor, layer: str) -> Tensor:
        split = (*x.shape[:2], self._heads, x.size(2) // self._heads)
        query, key, value = (
            self._linear(x, f"{layer}.attention.self.{part}").view(split).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        mask = real[:, None, None, :]  # nobody attends to padding
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        found: Tensor = mixed.transpose(1, 2).reshape(x.shape)
        return found

    def _linear(self, x: Tensor, name: str) -> Tensor:
        return functional.linear(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _normalise(self, x: Tensor, name: str) -> Tensor:
        weight, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return functional.layer_norm(x, (x.size(-1),), weight, bias, self._epsilon)
