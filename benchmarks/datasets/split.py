"""The fixed split: a hash of an episode's group says whether it teaches, chooses or reports.

Groups are near-duplicates that must not be torn apart: the requests of one trajectory, of one set
of tools, or equal requests. The rule needs no list, so every copy of a benchmark, however much of
it there is, gives an episode the same part.
"""

import hashlib
from collections.abc import Callable, Iterable

from benchmarks.datasets.rows import Row

# Of 100 values of the hash, those from here on choose (valid), and those from there on report.
CHOOSE, REPORT = 70, 80
RULE = (
    "SHA-1 of the set's name, a zero byte and the episode's group, as a number modulo 100: "
    f"below {CHOOSE} train, below {REPORT} valid, else test"
)

Group = Callable[[Row], str]


def part(name: str, group: str) -> str:
    """The part of the set `name` that everything of `group` belongs to."""
    digest = hashlib.sha1(f"{name}\0{group}".encode("utf-8", "surrogatepass")).digest()
    value = int.from_bytes(digest, "big") % 100
    return "train" if value < CHOOSE else "valid" if value < REPORT else "test"


def assign(name: str, episodes: Iterable[Row], group: Group) -> list[Row]:
    """The episodes with their parts."""
    return [{**episode, "split": part(name, group(episode))} for episode in episodes]


def by_id(episode: Row) -> str:
    """Every episode is a group of its own."""
    return str(episode["id"])


def by_trajectory(episode: Row) -> str:
    """All requests of one trajectory: the first three parts of the id."""
    return "/".join(episode["id"].split("/")[:3])


def by_path(episode: Row) -> str:
    """All requests with one path."""
    return "|".join(episode["path"])


def by_request(episode: Row) -> str:
    """Equal requests, whatever their case and spaces."""
    return " ".join(episode["request"].lower().split())
