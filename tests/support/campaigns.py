"""How long the campaigns are: a sample of each in `make test`, the whole of it in `make stress`.

`SPM_TEST_STRESS=1` asks for the whole of all. `SPM_TEST_` with the name of one in capitals sets
that one alone: `SPM_TEST_EMBEDDED_KILLS=1000`. tests/README.md says what each is for.
"""

import os
from typing import NamedTuple


class Size(NamedTuple):
    """How much of a campaign is run."""

    sample: int
    whole: int


CAMPAIGNS = {
    "embedded_kills": Size(10, 240),
    "embedded_cold_kills": Size(2, 6),
    "embedded_interrupts": Size(5, 60),
    "embedded_races": Size(3, 20),
    "embedded_takeovers": Size(3, 20),
    "damaged_places": Size(1, 8),
    "fault_modes": Size(1, 6),
    "neo4j_kills": Size(1, 10),
    "cut_commits": Size(6, 30),
    "manifest_races": Size(1, 3),
    "service_kills": Size(0, 1),
    "fuzz": Size(100, 10_000),
    "parity_seeds": Size(1, 6),
    "parity_menus": Size(12, 48),
    "search_callers": Size(3, 7),
    "search_requests": Size(3, 10),
    "frontier_worlds": Size(2, 6),
    "frontier_requests": Size(1, 3),
    "frontier_libraries": Size(1, 2),
    "hidden_seeds": Size(1, 6),
    "hidden_tools": Size(400, 16_000),
    "many_tools": Size(2_000, 4_000),
    "exchange_seeds": Size(1, 4),
    "feeding_walks": Size(4, 60),
    "invariant_requests": Size(20, 200),
    "invariant_seeds": Size(1, 8),
    "invariant_specs": Size(0, 4),
    "experiments": Size(1, 100),
    "benches": Size(1, 5),
}


def size(name: str) -> int:
    """How much of a campaign this run is to do."""
    told = os.environ.get(f"SPM_TEST_{name.upper()}")
    if told is not None:
        return int(told)
    return (
        CAMPAIGNS[name].whole
        if os.environ.get("SPM_TEST_STRESS") == "1"
        else CAMPAIGNS[name].sample
    )
