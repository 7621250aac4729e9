"""Models as files: safetensors with a manifest, verified before anything is believed."""

import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from spm.gnn.decoding import OrderWeights, Routing, SetWeights
from spm.gnn.features import Inputs
from spm.gnn.model import Design, Model, Provenance, Weights
from spm.gnn.networks.input_rows import widths
from spm.gnn.networks.numpy_forward import reranker_shapes, retriever_shapes
from spm.gnn.networks.sizes import Sizes
from spm.registry.errors import ModelError
from spm.registry.frontier.frontier import Rule
from spm.registry.store import disk

FORMAT = 2
LIMIT = 64 * 2**20  # a model has 3.5 MB; nothing much larger is one


def save(model: Model, path: Path) -> Model:
    """Write a model as one file, whole or not at all; returns it with its digest.

    Raises:
        StoreWriteFailed: nothing was written.
    """
    from safetensors.numpy import save as pack

    tensors = _joined(model)
    manifest = {
        "format": FORMAT,
        "design": asdict(model.design),
        "sets": asdict(model.sets),
        "orders": asdict(model.orders),
        "cut": model.cut,
        "provenance": asdict(model.provenance),
    }
    digest = _digest(tensors, manifest)
    text = json.dumps({**manifest, "digest": digest}, sort_keys=True)
    disk.make_folder(path.parent)
    disk.replace(path, pack(tensors, metadata={"spm": text}))
    return replace(model, digest=digest)


def load(path: Path, encoder: str | None = None) -> Model:
    """Read a model.

    Args:
        path: the file.
        encoder: the encoder of the registry that it shall serve, when that matters.

    Raises:
        ModelError: the file is missing, damaged, of another format, or made for other inputs.
    """
    try:
        if path.stat().st_size > LIMIT:
            raise ModelError(f"The file {str(path)!r} is far too large to be a model of spm.")
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"The model {str(path)!r} cannot be read: {error.strerror}.") from error
    manifest, tensors = _unpacked(path, data)
    try:
        design = _require(path, manifest, tensors, encoder)
        return _model(manifest, tensors, design)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, error) from error


def _model(manifest: dict[str, Any], tensors: dict[str, np.ndarray], design: Design) -> Model:
    return Model(
        retriever=_part(tensors, "retriever"),
        reranker=_part(tensors, "reranker"),
        sets=SetWeights(**manifest["sets"]),
        orders=OrderWeights(**manifest["orders"]),
        cut=float(manifest["cut"]),
        design=design,
        provenance=Provenance(**manifest["provenance"]),
        digest=manifest["digest"],
    )


def _unpacked(path: Path, data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load as unpack

    try:
        length = int.from_bytes(data[:8], "little")
        manifest = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["spm"])
        return manifest, unpack(data)
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> ModelError:
    return ModelError(
        f"The model {str(path)!r} is damaged or no model of spm ({error}). "
        "Train it again with: spm train"
    )


def _require(
    path: Path, manifest: dict[str, Any], tensors: dict[str, np.ndarray], encoder: str | None
) -> Design:
    """Refuse what would give wrong menus silently; the rest is of this design."""
    said = {key: value for key, value in manifest.items() if key != "digest"}
    if manifest.get("format") != FORMAT:
        raise ModelError(
            f"The model {str(path)!r} has format {manifest.get('format')!r}, this spm reads "
            f"{FORMAT}. Train it again with: spm train"
        )
    if _digest(tensors, said) != manifest.get("digest"):
        raise ModelError(
            f"The model {str(path)!r} does not match its checksum: it was changed or damaged. "
            "Train it again with: spm train"
        )
    design = _design(path, manifest["design"])
    made_with = manifest["provenance"]["encoder"]
    if design.inputs.vectors and encoder is not None and made_with != encoder:
        raise ModelError(
            f"The model {str(path)!r} was trained with the encoder {made_with!r}, the registry's "
            f"vectors were made by {encoder!r}. Train it again with: spm train"
        )
    _require_shapes(path, manifest, tensors, design)
    return design


def _design(path: Path, said: dict[str, Any]) -> Design:
    """What a model reads, if this spm can compute it."""
    listed = said["inputs"].items()
    inputs: Any = {k: tuple(v) if isinstance(v, list) else v for k, v in listed}
    try:
        return Design(
            Rule(**said["frontier"]),
            Inputs(**inputs),
            Sizes(**said["networks"]),
            Routing(**said["routing"]),
        )
    except ValueError as error:
        raise ModelError(
            f"The model {str(path)!r} was trained with other features or sizes than this spm "
            f"computes: {error}. Train it again with: spm train"
        ) from error


def _require_shapes(
    path: Path, manifest: dict[str, Any], tensors: dict[str, np.ndarray], design: Design
) -> None:
    (candidate, chosen, pairs), sizes = widths(design.inputs), design.networks
    expected = {f"retriever.{n}": s for n, s in retriever_shapes(candidate, sizes).items()}
    expected |= {f"reranker.{n}": s for n, s in reranker_shapes(chosen, pairs, sizes).items()}
    for name in sorted(expected.keys() | tensors.keys()):
        found = tensors[name].shape if name in tensors else None
        if found != expected.get(name):
            raise ModelError(
                f"The model {str(path)!r}: {name} has the shape {found}, "
                f"not {expected.get(name)}. Train it again with: spm train"
            )
    numbers = manifest["cut"], *manifest["sets"].values(), *manifest["orders"].values()
    if not all(np.isfinite(values).all() for values in (*tensors.values(), *numbers)):
        raise ModelError(f"The model {str(path)!r} contains values that are no numbers.")


def _joined(model: Model) -> dict[str, np.ndarray]:
    parts = (("retriever", model.retriever), ("reranker", model.reranker))
    return {
        f"{part}.{name}": np.ascontiguousarray(values)
        for part, weights in parts
        for name, values in weights.items()
    }


def _part(tensors: dict[str, np.ndarray], part: str) -> Weights:
    # Halves are for shipping; arithmetic is in single precision everywhere.
    return {
        name.removeprefix(f"{part}."): values.astype(np.float32)
        for name, values in tensors.items()
        if name.startswith(f"{part}.")
    }


def _digest(tensors: dict[str, np.ndarray], manifest: dict[str, Any]) -> str:
    found = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode())
    for name in sorted(tensors):
        found.update(name.encode())
        found.update(str(tensors[name].dtype).encode())
        found.update(np.ascontiguousarray(tensors[name]).tobytes())
    return found.hexdigest()
