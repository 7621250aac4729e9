"""Both networks without torch: the same arithmetic in numpy, for building menus.

Importing torch takes seconds, a menu milliseconds. A test holds both equal.
"""

from collections.abc import Sequence

import numpy as np

from spm.gnn.model import Weights
from spm.gnn.networks.passes import Belief, Candidates, Leading, Order
from spm.gnn.networks.sizes import RELATIONS, SHIPPED, Sizes
from spm.registry.frontier.frontier import Floats

Shapes = dict[str, tuple[int, ...]]


class NumpyNetworks:
    """Both networks of one model, one request after the other; see `passes.Inference`.

    Args:
        retriever: weights of the first network.
        reranker: weights of the second one; whoever asks for no order needs none.
    """

    def __init__(self, retriever: Weights, reranker: Weights) -> None:
        self._retriever, self._reranker = retriever, reranker

    def retrieve(self, asked: Sequence[Candidates]) -> list[Belief]:
        """Ask the first network."""
        return [Belief(*retrieve(self._retriever, one.rows, one.relations)) for one in asked]

    def order(self, asked: Sequence[Leading]) -> list[Order]:
        """Ask the second network."""
        return [order(self._reranker, one.rows, one.pairs) for one in asked]


def retrieve(weights: Weights, x: Floats, relations: np.ndarray) -> tuple[Floats, Floats]:
    """Probabilities of membership (n,) and of slots (n, 8), over the candidates."""
    size = len(x)
    h = np.concatenate([_linear(weights, "enter", x), weights["summaries"]])
    # Summary tokens are neutral (relation 0) to everybody and everybody to them.
    tokens = len(weights["summaries"])
    related = np.pad(relations, ((0, tokens), (0, tokens)))
    for layer, beta in enumerate(weights["beta"]):
        h = _block(weights, layer, h, beta.take(related, axis=1))
    h = _norm(weights, "norm", h[:size])
    member = sigmoid(_linear(weights, "member", h)[:, 0])
    return member, _softmax(_linear(weights, "slot", h), axis=0)


def order(weights: Weights, x: Floats, pairs: Floats) -> Order:
    """The reranker's logits for k chosen tools; `pairs` is (k, k, features)."""
    h = _linear(weights, "enter", x)
    for layer, rows in enumerate(weights["bias"]):
        bias = np.moveaxis(pairs @ rows.T, -1, 0)
        h = _block(weights, layer, h, bias)
    z = _norm(weights, "norm", h)
    meet = (z @ weights["before.weight"].T) @ (z @ weights["after.weight"].T).T / z.shape[1] ** 0.5
    return Order(
        entry=_linear(weights, "entry", z)[:, 0],
        member=_linear(weights, "member", z)[:, 0],
        slot=_linear(weights, "slot", z),
        precedence=meet + pairs @ weights["evidence"],
    )


def sigmoid(x: Floats) -> Floats:
    """Probabilities of logits; those of very sure networks overflow nothing."""
    return np.exp(-np.logaddexp(np.float32(0), -x))


def _block(weights: Weights, layer: int, h: Floats, bias: Floats) -> Floats:
    name = f"blocks.{layer}"
    h = h + _attention(weights, f"{name}.attention", _norm(weights, f"{name}.norm1", h), bias)
    inner = _linear(weights, f"{name}.inner", _norm(weights, f"{name}.norm2", h))
    np.maximum(inner, 0, out=inner)
    return h + _linear(weights, f"{name}.outer", inner)


def _attention(weights: Weights, name: str, h: Floats, bias: Floats) -> Floats:
    (nodes, width), heads = h.shape, len(bias)
    split = _linear(weights, f"{name}.qkv", h).reshape(nodes, 3, heads, width // heads)
    q, k, v = split.transpose(1, 2, 0, 3)  # each (heads, n, width / heads)
    # In place, and divided when few numbers are left: the squares are most of the time.
    share = (q * np.float32((width // heads) ** -0.5)) @ k.transpose(0, 2, 1)
    share += bias
    share -= share.max(axis=-1, keepdims=True, initial=-np.inf)
    np.exp(share, out=share)
    mixed = share @ v / share.sum(axis=-1, keepdims=True)
    mixed = mixed.transpose(1, 0, 2).reshape(nodes, width)
    return _linear(weights, f"{name}.out", mixed)


def _linear(weights: Weights, name: str, x: Floats) -> Floats:
    made: Floats = x @ weights[f"{name}.weight"].T
    made += weights[f"{name}.bias"]
    return made


def _norm(weights: Weights, name: str, x: Floats) -> Floats:
    centred = x - x.mean(-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)
    return centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _softmax(x: Floats, axis: int) -> Floats:
    # An empty registry has no candidates, and a maximum of nothing needs a beginning.
    raised = np.exp(x - x.max(axis=axis, keepdims=True, initial=-np.inf))
    return raised / raised.sum(axis=axis, keepdims=True)


def retriever_shapes(features: int, sizes: Sizes = SHIPPED) -> Shapes:
    """The arrays that `retrieve` reads."""
    tokens = {
        "summaries": (sizes.summaries, sizes.width),
        "beta": (sizes.layers, sizes.heads, RELATIONS),
    }
    return {**_trunk(features, sizes), **tokens}


def reranker_shapes(
    features: int,
    pairs: int,
    sizes: Sizes = SHIPPED,
) -> Shapes:
    """The arrays that `order` reads."""
    width = sizes.width
    meet = {"before.weight": (width, width), "after.weight": (width, width)}
    weights = {"bias": (sizes.layers, sizes.heads, pairs), "evidence": (pairs,)}
    return {**_trunk(features, sizes), **_layer("entry", 1, width), **meet, **weights}


def _trunk(features: int, sizes: Sizes) -> Shapes:
    """What both networks have."""
    width, inner = sizes.width, sizes.inner
    found = _layer("enter", width, features) | _layer("norm", width)
    found |= _layer("member", 1, width) | _layer("slot", sizes.slots, width)
    for layer in range(sizes.layers):
        name = f"blocks.{layer}"
        found |= _layer(f"{name}.norm1", width) | _layer(f"{name}.norm2", width)
        found |= _layer(f"{name}.attention.qkv", 3 * width, width)
        found |= _layer(f"{name}.attention.out", width, width)
        found |= _layer(f"{name}.inner", inner, width) | _layer(f"{name}.outer", width, inner)
    return found


def _layer(name: str, *shape: int) -> Shapes:
    return {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
