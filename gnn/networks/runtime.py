"""Which device computes and by what: a GPU by torch where one is taken, else the CPU by numpy.

SPM_DEVICE is `auto` (a GPU where torch is installed and one is there), `cpu` or `cuda`; SPM_RUNTIME
is `auto` (torch on a GPU, numpy on the CPU), `numpy` or `torch`. The options `--device` set the
first for one command. Why numpy, and what was measured: docs/decisions/inference-runtimes.md.
"""

import ctypes
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from spm.registry.errors import InputError

if TYPE_CHECKING:
    import torch

DEVICES = ("auto", "cpu", "cuda")
RUNTIMES = ("auto", "numpy", "torch")
INSTALL = "pip install 'spm-registry[train]'"
# Threads of one process build menus by turns: Python lets one of them run at a time anyway, and
# changing over in the middle of menus makes all of them late (two workers of four threads on two
# cores, 20 menus a second: 95 % within 360 instead of 880 ms). Whoever waits for a database to
# expand a frontier does not hold it.
turn = threading.RLock()


def device() -> str:
    """`cuda` or `cpu`, by SPM_DEVICE and what this machine has.

    Raises:
        InputError: SPM_DEVICE is none of the known, or asks for a GPU where there is none.
    """
    said = _said("SPM_DEVICE", DEVICES)
    if said == "auto":
        return "cuda" if _gpu_is_likely() and not _why_no_gpu() else "cpu"
    if said == "cuda" and (why := _why_no_gpu()):
        raise InputError(
            f"The device 'cuda' was asked for, but {why}, or take the CPU: --device cpu"
        )
    return said


def chosen() -> str:
    """`torch` or `numpy`, by SPM_RUNTIME and the device.

    Raises:
        InputError: SPM_RUNTIME is none of the known or cannot be had, or contradicts SPM_DEVICE.
    """
    said, where = _said("SPM_RUNTIME", RUNTIMES), device()
    if said == "auto":
        return "torch" if where == "cuda" else "numpy"
    if said == "torch" and not _installed():
        raise InputError(
            "SPM_RUNTIME=torch needs torch and torch-geometric, which are not installed. "
            f"Install them with: {INSTALL}, or leave SPM_RUNTIME unset."
        )
    if said == "numpy" and where == "cuda":
        if _said("SPM_DEVICE", DEVICES) == "cuda":
            raise InputError(
                "SPM_RUNTIME=numpy computes on the CPU alone, and SPM_DEVICE asks for cuda. "
                "Leave one of them unset."
            )
    return said


def torch_device() -> "torch.device":
    """The device of `device` for torch; of processes started by torchrun, each its own GPU."""
    import torch

    if device() == "cpu":
        return torch.device("cpu")
    return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))


@contextmanager
def computing_on(said: str | None) -> Iterator[None]:
    """What is computed inside, also by processes that are started there, is so on a device.

    Args:
        said: one of `DEVICES`; None leaves it to SPM_DEVICE.

    Raises:
        InputError: see `device`.
    """
    before = os.environ.get("SPM_DEVICE")
    if said is not None:
        os.environ["SPM_DEVICE"] = said
    try:
        if os.environ.get("SPM_DEVICE"):
            device()  # a GPU that is not there is told before any work begins
        yield
    finally:
        if said is not None:
            os.environ.pop("SPM_DEVICE", None)
            if before is not None:
                os.environ["SPM_DEVICE"] = before


@contextmanager
def quiet_torch() -> Iterator[None]:
    """Import torch-geometric inside: it compiles functions in a way that torch has deprecated."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`torch.jit", category=Warning)
        yield


def _said(variable: str, known: tuple[str, ...]) -> str:
    said = os.environ.get(variable) or known[0]
    if said not in known:
        raise InputError(f"{variable} is {said!r}. Known: {', '.join(known)}.")
    return said


def _installed() -> bool:
    return all(name in sys.modules or find_spec(name) for name in ("torch", "torch_geometric"))


@cache
def _gpu_is_likely() -> bool:
    """Whether a driver is there: where there is none, nobody has to import torch to be told so."""
    if Path("/dev/kfd").exists():  # AMD's, which torch also calls cuda
        return _installed()
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return _installed()


@cache
def _why_no_gpu() -> str:
    """Why torch cannot compute on a GPU, and what to do; empty where it can."""
    if not _installed():
        return f"torch and torch-geometric are not installed. Install them with: {INSTALL}"
    import torch

    if torch.cuda.is_available():
        return ""
    built = torch.version.cuda or torch.version.hip
    if not built:
        return (
            f"torch {torch.__version__} was built for the CPU alone. "
            "Install a build for your GPU (https://pytorch.org/get-started)"
        )
    return (
        f"torch {torch.__version__} sees no GPU. Check the driver with: nvidia-smi; in a container "
        "the GPU must be passed in"
    )
