"""Encode requests with torch: the rows that `MiniLM.encode_clauses` makes, from torch's states.

In a process of its own: transformers and the embedded engine do not fit into one (see
`spm.gnn.encoders.worker_process`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from transformers import BertConfig, BertModel

from spm.gnn.encoders.by_name import weights_folder
from spm.gnn.encoders.minilm import Array, MiniLM


class TorchMiniLM(MiniLM):
    """The same tokens and the same pooling around torch's own network."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        config = BertConfig.from_json_file(folder / "config.json")
        self._network = BertModel(config, add_pooling_layer=False).eval()
        self._network.load_state_dict(load_file(folder / "model.safetensors"), strict=False)

    def _served(self, ids: list[int]) -> Array:
        with torch.no_grad():
            states: Array = self._network(torch.tensor([ids])).last_hidden_state[0].numpy()
        return states


if __name__ == "__main__":
    torch.set_num_threads(1)
    texts = json.loads(Path(sys.argv[1]).read_text())
    rows = TorchMiniLM(weights_folder()).encode_clauses(texts)
    np.savez(sys.argv[2], *rows)
