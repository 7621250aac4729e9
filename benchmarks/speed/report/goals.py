"""What is to be reached, as ratios and amounts that one run can say."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """One figure that counts.

    Attributes:
        bench: the command that measures it.
        words: what is measured.
        at: on what.
        must: the bar; None where a figure is only reported.
        aim: what is hoped for.
        low: whether less is better.
        unit: behind the figure.
    """

    bench: str
    words: str
    at: str
    must: float | None
    aim: float
    low: bool = True
    unit: str = ""

    @property
    def title(self) -> str:
        """For tables."""
        return f"{self.words}, {self.at}"

    def verdict(self, value: float) -> str:
        """Which of the two bars a value reaches."""
        if _reaches(value, self.aim, self.low):
            return "aim"
        if self.must is None:
            return "reported"
        return "must" if _reaches(value, self.must, self.low) else "missed"

    def bars(self) -> tuple[str, str]:
        """Both bars as a table says them."""
        sign = "≤" if self.low else "≥"
        must = "reported" if self.must is None else f"{sign} {self.must:g}{self.unit}"
        return must, f"{sign} {self.aim:g}{self.unit}"


GOALS = {
    "menu_over_semantic": Goal(
        "warm", "whole menu / semantic top 32 with the same encoder", "16k tools", 2.5, 1.6
    ),
    "large_over_small": Goal(
        "scale", "constructor without vector search", "100k / 1k tools", 1.25, 1.1
    ),
    "cold_over_torch": Goal(
        "cold", 'cold `spm menu` / `python -c "import torch"`', "16k tools", 0.5, 0.25
    ),
    "serving_memory": Goal("warm", "memory while serving", "16k tools", 500, 300, unit=" MB"),
    "menus_per_cpu_second": Goal(
        "warm", "menus per CPU-second with encoding", "16k tools", 20, 40, low=False
    ),
    "training_minutes": Goal(
        "train", "training of both networks", "20,000 requests", 20, 15, unit=" min"
    ),
    "training_cpu_minutes": Goal(
        "train", "… its processor time, one thread", "20,000 requests", None, 15, unit=" min"
    ),
    "training_memory": Goal(
        "train", "… its memory at most", "20,000 requests", 3_000, 1_500, unit=" MB"
    ),
    "menu_over_peer": Goal(
        "peers", "CPU time of a menu / graph-tool-call's with embeddings", "same tools", 0.05, 0.02
    ),
    "server_over_embedded": Goal(
        "load", "Neo4j store: frontier query p50 / embedded p50", "16k tools", None, 5
    ),
    "neo4j_queries_over_snapshot": Goal(
        "snapshots", "Neo4j: menu without a snapshot / with one", "16k tools", 5, 3
    ),
    "embedded_queries_over_snapshot": Goal(
        "snapshots", "embedded: menu without a snapshot / with one", "16k tools", 3, 2
    ),
    "queries_large_over_small": Goal(
        "snapshots", "Neo4j: menu without a snapshot", "100k / 1k tools", 2, 1.5
    ),
    "served_per_second": Goal(
        "serve", "menus per second over HTTP with encoding", "16k tools, 60 s", 20, 30, low=False
    ),
    "served_p95_over_single": Goal(
        "serve", "p95 under that load / p50 of single requests", "16k tools, 60 s", 5, 3
    ),
    "served_errors": Goal("serve", "errors under that load", "16k tools, 60 s", 0, 0),
    "served_growth": Goal(
        "serve", "memory, last / first quarter of that load", "16k tools, 60 s", 1.05, 1.02
    ),
}


def named(goal: str, asked: bool) -> str:
    """The name of a figure: the goal's where it was measured as asked, else its plain words."""
    return goal if asked else GOALS[goal].words


def _reaches(value: float, bar: float, low: bool) -> bool:
    return value <= bar if low else value >= bar
