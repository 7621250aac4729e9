"""Fits the order of candidates on made-up requests and prints what that is worth, as JSON.

A process of its own: lightgbm takes the room that other libraries need when they are loaded later.
"""

import json

import numpy as np

from benchmarks.day_one.fitting import fit
from benchmarks.day_one.scores import gains, left_out, measure
from tests.data.day_one import example


def main() -> None:
    """Fit on 200 requests and on two libraries of three."""
    ranking, _ = fit([example(number) for number in range(200)])
    unseen = [example(number) for number in range(900, 950)]
    orders = [ranking.order(one.numbers, ranking.scores(one.numbers)) for one in unseen]
    rows = [measure(order, one) for order, one in zip(orders, unseen, strict=True)]
    found = left_out(
        [
            *(example(number, "one") for number in range(80)),
            *(example(number, "two") for number in range(80, 160)),
            *(example(number, "one", "valid") for number in range(200, 230)),
            *(example(number, "toolhop", "valid") for number in range(300, 330)),
            *(example(number, "toolhop") for number in range(400, 430)),
        ],
        "valid",
        lambda _: None,
    )
    print(
        json.dumps(
            {
                "chain@5": np.mean([row["chain@5"] for row in rows]),
                "first@1": np.mean([row["first@1"] for row in rows]),
                "requests": {library: len(of["spm"]) for library, of in found.items()},
                "gain": gains(found, "spm", "text")["chain@5"],
            }
        )
    )


if __name__ == "__main__":
    main()
