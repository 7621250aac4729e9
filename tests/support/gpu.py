"""Tests that need a GPU: `pytest -m gpu` runs them where one is; elsewhere they are skipped."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

HERE = torch.cuda.is_available()


def needs_gpu(reason: str) -> Callable[[Any], Any]:
    """Mark a test; `reason` says what is not known without a GPU."""

    def mark(test: Any) -> Any:
        return pytest.mark.gpu(pytest.mark.skipif(not HERE, reason=f"no GPU: {reason}")(test))

    return mark
