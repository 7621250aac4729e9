"""The networks of a model as the chosen runtime computes them: numpy, or torch."""

from spm.gnn.model import Model, Weights
from spm.gnn.networks import runtime
from spm.gnn.networks.passes import Inference


def inference(retriever: Weights, reranker: Weights) -> Inference:
    """Networks as the chosen runtime computes them.

    Args:
        retriever: weights of the first network.
        reranker: weights of the second one; whoever asks for no order needs none.
    """
    if runtime.chosen() == "torch":
        with runtime.quiet_torch():
            from spm.gnn.networks.torch_forward import TorchNetworks

        return TorchNetworks(retriever, reranker, runtime.torch_device())
    from spm.gnn.networks.numpy_forward import NumpyNetworks

    return NumpyNetworks(retriever, reranker)


KEPT = 4  # models whose networks are kept
_KEPT: dict[tuple[str | int, str, str], tuple[Model, Inference]] = {}


def networks_of(model: Model) -> Inference:
    """The networks of a model; those of the last few are kept, for torch has to lay them out.

    Threads of a service read the same file each for themselves: models of one digest are one.
    """
    key = model.digest or id(model), runtime.chosen(), runtime.device()
    found = _KEPT.pop(key, None)
    if found is None or not (model.digest or found[0] is model):
        found = model, inference(model.retriever, model.reranker)
    _KEPT[key] = found  # the newest stands last
    while len(_KEPT) > KEPT:
        _KEPT.pop(next(iter(_KEPT)), None)
    return found[1]
