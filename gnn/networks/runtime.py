"""The runtime: numpy first, onnxruntime in a process that builds many menus or trains.

Measured on one core of a busy machine (processor time, `make bench` has the ratios): loading
onnxruntime and opening the sessions of both networks and of the encoder (of a large library also
two for its vectors, see `int8_vectors`) costs 300 to 400 ms and 100 MB; a menu then takes 6 to
8 ms less (the encoder 12 instead of 20 ms for 34 tokens, the networks 5.1 instead of 6.7). So the
first menus of a process, and the only one of a command, are cheaper without: after `PAYS` menus
the sessions have cost less than they save, and a process that came so far will serve more. Both
give the same to 1e-5, and the same menus: tests compare them.

SPM_RUNTIME=numpy or onnx fixes the choice, SPM_THREADS the threads of a session (1 if unset: more
help a quiet machine, and fight each other on a busy one).
"""

import ctypes
import hashlib
import json
import logging
import mmap
import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

log = logging.getLogger("spm")
PAYS = 48  # menus after which a session has paid for itself
Weights = Mapping[str, NDArray[Any]]


class Menus:
    """Counts the menus of this process, and so decides."""

    def __init__(self) -> None:
        self.built = 0

    def next(self) -> None:
        """One more menu begins."""
        self.built += 1

    def pay(self, runs: int = 0) -> bool:
        """Whether sessions pay, where so many runs are sure to come."""
        said = os.environ.get("SPM_RUNTIME", "auto")
        return said == "onnx" or (said != "numpy" and max(self.built, runs) > PAYS)


menus = Menus()
# Threads of one process build menus by turns: Python lets one of them run at a time anyway, and
# changing over in the middle of menus makes all of them late (two workers of four threads on two
# cores, 20 menus a second: 95 % within 360 instead of 880 ms). Whoever waits for a database to
# expand a frontier does not hold it.
turn = threading.RLock()


class Graph:
    """A shipped graph with the weights of one model.

    Args:
        name: of the graph.
        weights: by the names that they have in their file.
    """

    def __init__(self, name: str, weights: Weights) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = threads()
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # A thread that waits must sleep: spinning takes the processor from everybody else.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._weights = {n: np.ascontiguousarray(values) for n, values in weights.items()}
        options.add_external_initializers(
            list(self._weights),
            [ort.OrtValue.ortvalue_from_numpy(values) for values in self._weights.values()],
        )
        known = verified(name) + b"".join(
            _declared(n, values) for n, values in self._weights.items() if values.dtype == np.int8
        )
        self._session = ort.InferenceSession(known, options, providers=["CPUExecutionProvider"])
        leave(self._weights.values())

    def run(self, **inputs: NDArray[Any]) -> list[NDArray[np.float32]]:
        """All outputs."""
        found: list[NDArray[np.float32]] = self._session.run(None, inputs)
        return found


def graph(name: str, weights: Weights, runs: int = 0) -> Graph | None:
    """A graph where sessions pay and can be opened; None: compute with numpy.

    Args:
        name: of the graph.
        weights: by their names.
        runs: how many are sure to come, whatever was built before.
    """
    if not menus.pay(runs):
        return None
    try:
        return Graph(name, weights)
    except Exception as error:  # whatever onnxruntime refuses: there is another way to the same
        log.debug("onnxruntime does not run %s: %s", name, error)
        return None


def leave(weights: Iterable[NDArray[Any]]) -> None:
    """Take out of memory what a session no longer needs: it has laid its weights out anew.

    Pages of mapped files (40 MB of the encoder, 14 of the vectors of 16,000 tools and 20,000
    trajectories) would stay in this process; whoever reads them again gets them from the disk's
    cache. What was allocated in between (10 to 40 MB) would stay with the allocator.
    """
    for values in weights:
        owner: Any = values
        while isinstance(owner, np.ndarray):
            owner = owner.base
        if isinstance(owner, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            start = values.ctypes.data - np.frombuffer(owner, np.uint8).ctypes.data
            first = start + -start % mmap.PAGESIZE
            size = start + values.nbytes - first
            if size >= mmap.PAGESIZE:
                owner.madvise(mmap.MADV_DONTNEED, first, size - size % mmap.PAGESIZE)
    with suppress(OSError, AttributeError, TypeError):  # of Linux alone
        ctypes.CDLL(None).malloc_trim(0)


def _declared(name: str, values: NDArray[Any]) -> bytes:
    """What makes bytes a weight of a graph that was exported before anybody knew how many.

    Weights are laid out for the processor when a session is opened, inputs with every run. A
    message of protobuf that follows another adds to it: this one has a graph with one tensor.
    """
    shape = b"".join(b"\x08" + _varint(size) for size in values.shape)
    place = _message(13, _message(1, b"location") + _message(2, b"weights"))
    kind, external = b"\x10\x03", b"\x70\x01"  # of bytes; that lie elsewhere
    return _message(7, _message(5, shape + kind + _message(8, name.encode()) + place + external))


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + _varint(rest) if rest else bytes([low])


def verified(name: str) -> bytes:
    """A shipped graph.

    Raises:
        ValueError: it is not the one that was exported.
    """
    folder = files("spm.gnn.networks") / "exported"
    data = (folder / f"{name}.onnx").read_bytes()
    if hashlib.sha256(data).hexdigest() != _manifest().get(name):
        raise ValueError(f"the graph {name!r} does not match its checksum; install spm again")
    return data


@cache
def _manifest() -> dict[str, str]:
    found: dict[str, str] = json.loads(
        (files("spm.gnn.networks") / "exported" / "manifest.json").read_text(encoding="utf-8")
    )
    return found


def threads() -> int:
    """Threads of a session."""
    said = os.environ.get("SPM_THREADS", "1")
    return max(1, int(said)) if said.isdigit() else 1
