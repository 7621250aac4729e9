"""The candidates of a request, as the networks see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spm.registry.errors import EncoderError

if TYPE_CHECKING:
    from torch_geometric.data import Data

    from spm.gnn.model import Model
    from spm.registry.frontier.frontier import Frontier as Candidates


class Frontier:
    """Up to 128 candidates of one request, of which a menu is built; `Registry.frontier` makes it.

    >>> frontier = registry.frontier("Email the customer the receipt for order 4821")
    >>> len(frontier) == len(frontier.tools), frontier.given
    (True, ['order_id'])

    Attributes:
        arrays: everything that is known of them and among them.
    """

    def __init__(self, arrays: Candidates, model: Model) -> None:
        self.arrays = arrays
        self._model = model

    @property
    def tools(self) -> list[str]:
        """Ids of the candidates."""
        return self.arrays.tools

    @property
    def given(self) -> list[str]:
        """The fields that the request shows, of those that candidates need or make."""
        names = zip(self.arrays.fields, self.arrays.given, strict=True)
        return [name for name, shown in names if shown]

    def to_pyg(self) -> Data:
        """The graph that the first network reads, for PyTorch Geometric (extra `train`).

        Nodes are candidates: `x` are their features, `feature_names` says which column is which,
        `tool` who they are. `edge_index` and `edge_type` are their relations, `relation_names` the
        types; a pair without an edge is of type 0.

        Raises:
            EncoderError: torch or torch-geometric is not installed.

        >>> graph = registry.frontier("Email the receipt for order 4821").to_pyg()
        >>> graph.num_nodes == len(graph.tool), graph.relation_names[1]
        (True, 'forward')
        >>> round(float(graph.x[:, graph.feature_names.index("similarity")].max()), 1) <= 1.0
        True
        """
        require_torch()
        from spm.gnn.networks.request_graphs import named_graph

        return named_graph(self.arrays, self._model.design.inputs)

    def __len__(self) -> int:
        return len(self.arrays.tools)

    def __repr__(self) -> str:
        return f"<Frontier of {len(self)} tools>"


def require_torch() -> None:
    """Import torch and torch-geometric, or say how to get them.

    Raises:
        EncoderError: one of them is not installed.
    """
    from spm.gnn.networks.runtime import INSTALL, quiet_torch

    try:
        with quiet_torch():
            import torch_geometric.data  # noqa: F401
    except ImportError as error:
        raise EncoderError(
            f"Graphs for PyTorch Geometric need torch and torch-geometric ({error}). "
            f"Install them with: {INSTALL}"
        ) from error
