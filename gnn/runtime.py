"""What computes the networks: numpy at first, onnxruntime in a process that builds many menus.

Measured on one core of a busy machine (processor time, `spm bench warm` has the ratios): loading
onnxruntime and opening the three sessions costs 300 to 400 ms and 100 MB; a menu then takes 6 to
8 ms less (the encoder 12 instead of 20 ms for 34 tokens, the networks 5.1 instead of 6.7). So the
first menus of a process, and the only one of a command, are cheaper without: after `PAYS` menus
the sessions have cost less than they save, and a process that came so far will serve more. Both
give the same to 1e-5, and the same menus: tests compare them.

SPM_RUNTIME=numpy or onnx fixes the choice, SPM_THREADS the threads of a session (1 if unset: more
help a quiet machine, and fight each other on a busy one).
"""

import hashlib
import json
import logging
import os
import threading
from collections.abc import Mapping
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

    @property
    def many(self) -> bool:
        """Whether sessions pay."""
        said = os.environ.get("SPM_RUNTIME", "auto")
        return said == "onnx" or (said != "numpy" and self.built > PAYS)


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
        self._session = ort.InferenceSession(
            verified(name), options, providers=["CPUExecutionProvider"]
        )

    def run(self, **inputs: NDArray[Any]) -> list[NDArray[np.float32]]:
        """All outputs."""
        found: list[NDArray[np.float32]] = self._session.run(None, inputs)
        return found


def graph(name: str, weights: Weights) -> Graph | None:
    """A graph where sessions pay and can be opened; None: compute with numpy."""
    if not menus.many:
        return None
    try:
        return Graph(name, weights)
    except Exception as error:  # whatever onnxruntime refuses: there is another way to the same
        log.debug("onnxruntime does not run %s: %s", name, error)
        return None


def verified(name: str) -> bytes:
    """A shipped graph.

    Raises:
        ValueError: it is not the one that was exported.
    """
    folder = files("spm.gnn") / "exported"
    data = (folder / f"{name}.onnx").read_bytes()
    if hashlib.sha256(data).hexdigest() != _manifest().get(name):
        raise ValueError(f"the graph {name!r} does not match its checksum; install spm again")
    return data


@cache
def _manifest() -> dict[str, str]:
    found: dict[str, str] = json.loads(
        (files("spm.gnn") / "exported" / "manifest.json").read_text(encoding="utf-8")
    )
    return found


def threads() -> int:
    """Threads of a session."""
    said = os.environ.get("SPM_THREADS", "1")
    return max(1, int(said)) if said.isdigit() else 1
