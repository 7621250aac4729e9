"""Make a BERT of two layers with random weights, and what its layers give for some texts, by hand.

In a process of its own, because torch, transformers and the embedded engine do not fit into one.
Arguments: a folder, to which `plain`, `other` and `half` are added, and a file of texts as JSON.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, BertTokenizerFast

WORDS = "read a file send message query passage represent this sentence for searching relevant"
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ":", "passages", *WORDS.split()]


def save(folder: Path, seed: int, dtype: torch.dtype = torch.float32) -> None:
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        num_hidden_layers=2,
        num_attention_heads=2,
        hidden_size=16,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=0.2,  # so that poolings and texts differ
    )
    BertModel(config, add_pooling_layer=False).to(dtype).save_pretrained(folder)
    words = {word: number for number, word in enumerate(VOCABULARY)}
    BertTokenizerFast(vocab=words, model_max_length=64).save_pretrained(folder)


def states(folder: Path, text: str) -> np.ndarray:
    """The first token's state and the mean of all, each of unit length."""
    tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt", truncation=True)
    model = AutoModel.from_pretrained(folder, add_pooling_layer=False).float().eval()
    with torch.no_grad():
        found = model(**tokens).last_hidden_state[0].numpy()  # (tokens, 16)
    both = np.stack([found[0], found.mean(axis=0)])
    return np.asarray(both / np.linalg.norm(both, axis=1, keepdims=True))


def main() -> None:
    root, texts = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_bytes())
    save(root / "plain", seed=0)
    save(root / "other", seed=1)
    save(root / "half", seed=0, dtype=torch.bfloat16)
    for name in ("plain", "half"):
        np.save(root / f"{name}.npy", np.stack([states(root / name, text) for text in texts]))


if __name__ == "__main__":
    main()
