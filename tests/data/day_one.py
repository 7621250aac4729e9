"""Made-up requests with the numbers of their candidates."""

import numpy as np

from benchmarks.day_one.examples import Example
from benchmarks.day_one.libraries import Request

WAYS = ("bm25", "dense", "hybrid", "planned")


def example(number: int, library: str = "one", split: str = "train", size: int = 12) -> Example:
    """The needed tools are told by `useful`, the first of them by `early`; words mislead."""
    draw = np.random.default_rng(number)
    step = np.full(size, -1)
    first, second = draw.permutation(size)[:2]
    step[first], step[second] = 0, 1
    numbers = {
        "fused": draw.normal(size=size),
        "useful": (step >= 0) + draw.normal(scale=0.1, size=size),
        "early": (step == 0) + draw.normal(scale=0.1, size=size),
    }
    request = Request(library, library, split, f"r{number}", (frozenset("a"), frozenset("b")))
    worst = np.argsort(numbers["useful"]).tolist()
    return Example(request, numbers, step, [], dict.fromkeys(WAYS, worst))
