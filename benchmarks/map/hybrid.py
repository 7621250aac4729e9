"""The search that menus have to beat: BM25 and vectors on short texts, fused by ranks."""

from collections.abc import Sequence

import bm25s
import numpy as np

from spm.gnn.encoders.by_name import load_encoder
from spm.registry.catalog.search_text import first_sentences, plain
from spm.registry.models import ToolSpec
from spm.registry.search.bm25 import terms

CONSTANT = 60  # of reciprocal rank fusion, as in its paper


def lean_text(tool: ToolSpec) -> str:
    """Title, name in words and the first sentence."""
    name, summary = " ".join(terms(tool.name)), first_sentences(tool.description, 200)
    return f"{plain(tool.title)}. {name}. {summary}"


class Hybrid:
    """Ranks tools for requests.

    Args:
        ids: of the tools.
        tools: their definitions, in the same order.
    """

    def __init__(self, ids: Sequence[str], tools: Sequence[ToolSpec]) -> None:
        self._ids = list(ids)
        texts = [lean_text(tool) for tool in tools]
        self._encoder = load_encoder()
        self._vectors = self._encoder.encode_documents(texts)
        self._words = bm25s.BM25()
        self._words.index([terms(text) for text in texts], show_progress=False)

    def menu(self, request: str, size: int) -> list[str]:
        """The first tools by both."""
        dense = self._vectors @ self._encoder.encode_requests([request])[0]
        words = self._words.get_scores(terms(request))
        fused = sum(
            1 / (CONSTANT + 1 + np.argsort(np.argsort(-s, kind="stable"))) for s in (dense, words)
        )
        return [self._ids[at] for at in np.argsort(-fused, kind="stable")[:size]]
