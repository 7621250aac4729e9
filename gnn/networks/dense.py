"""From a batch of graphs to padded arrays, without asking the device for a value.

Every value that Python wants makes a GPU finish all its work first, so the sizes come from what the
batch was put together from, which stays on the CPU. `to_dense_adj` of PyTorch Geometric has no such
way.
"""

from itertools import pairwise

from torch import Tensor
from torch_geometric.data import Batch
from torch_geometric.utils import to_dense_batch


def dense_nodes(values: Tensor, batch: Batch, fill: float = 0.0) -> tuple[Tensor, Tensor]:
    """What each node carries, (graphs, nodes, …), and which nodes are real, (graphs, nodes)."""
    found: tuple[Tensor, Tensor] = to_dense_batch(
        values, batch.batch, fill_value=fill, max_num_nodes=_largest(batch),
        batch_size=batch.num_graphs,
    )  # fmt: skip
    return found


def dense_pairs(values: Tensor, batch: Batch) -> Tensor:
    """What each edge carries, (graphs, nodes, nodes, …); 0 where there is none."""
    size = _largest(batch)
    found = values.new_zeros(batch.num_graphs, size, size, *values.shape[1:])
    first, second = batch.edge_index
    graph = batch.batch[first]
    start = batch.ptr[graph]
    found[graph, first - start, second - start] = values
    return found


def _largest(batch: Batch) -> int:
    """How many nodes the largest graph has."""
    starts: list[int] = batch._slice_dict["x"].tolist()
    return max((after - before for before, after in pairwise(starts)), default=0)
