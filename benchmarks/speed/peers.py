"""Two published packages beside spm: the same tools, the same requests, the same encoder."""

from collections.abc import Callable, Sequence
from functools import partial

from benchmarks.speed.library import VECTORS, approximate
from benchmarks.speed.machine import load
from benchmarks.speed.report.findings import Figure, Finding, found
from benchmarks.speed.samples import Progress, Row, Sample, ratio, summed, turns
from spm.evaluation.corpus import of_registry
from spm.evaluation.peers.bigtool import Bigtool
from spm.evaluation.peers.definitions import Vectors
from spm.evaluation.peers.graph_tool_call import GraphToolCall
from spm.gnn.arrays.array_expansion import Question
from spm.gnn.encoders.by_name import encoder_of
from spm.registry.registry import Registry
from spm.registry.store.interface import Vector

SPM, GRAPH, BIGTOOL = "spm", "graph-tool-call", "langgraph-bigtool"
PEERS: dict[str, type[GraphToolCall] | type[Bigtool]] = {GRAPH: GraphToolCall, BIGTOOL: Bigtool}
Ask = Callable[[str], object]


def measure(
    registry: Registry,
    requests: Sequence[str],
    seconds: float = float("inf"),
    progress: Progress | None = None,
) -> Finding:
    """Let all of them answer every request, in turns, each with the encoding of it.

    Args:
        registry: the tools; its vectors must be there.
        requests: each is asked once, the last one also before, which does not count.
        seconds: no request is asked after them.
        progress: hears the requests.

    Raises:
        InputError: a package is not installed.
    """
    before = load()
    peers, made = _peers(registry)
    everybody: dict[str, Ask] = {SPM: registry.menu, **peers}
    for ask in everybody.values():
        ask(requests[-1])

    def turn(ask: Ask, number: int) -> object:
        return ask(requests[number])

    works = {name: partial(turn, ask) for name, ask in everybody.items()}
    samples = turns(works, len(requests), seconds, progress)
    settings = {
        "tools": registry.status()["tools"],
        "requests": len(samples[SPM].cpu),
        "versions": [peer.fingerprint() for peer in PEERS.values()],
    }
    said = "CPU time of all threads; every answer includes the encoding of its request."
    notes = [said, VECTORS]
    rows = [summed(f"{name}, one answer", one) for name, one in samples.items()]
    return found("peers", settings, [*rows, *made], _figures(samples), notes, before)


def _peers(registry: Registry) -> tuple[dict[str, Ask], list[Row]]:
    """Both peers with the registry's tools, and what taking those in took."""
    corpus, encoder = of_registry(registry.store), encoder_of(registry.store)
    asks: dict[str, Ask] = {}
    rows = []
    for name, kind in PEERS.items():
        taking = Sample()
        vectors = Vectors(corpus, partial(approximate, encoder))
        peer = taking.time(partial(kind, corpus, vectors))
        asks[name] = partial(_asked, peer, encoder.encode_requests)
        rows.append(summed(f"{name}, taking the tools in", taking))
    return asks, rows


def _asked(
    peer: GraphToolCall | Bigtool, encode: Callable[[list[str]], Vector], text: str
) -> list[str]:
    """A peer's answer to a text, as spm is given nothing but the text."""
    return peer.menu(Question(text, encode([text])[0]))


def _figures(samples: dict[str, Sample]) -> list[Figure]:
    def over(name: str, above: Sequence[float], below: Sequence[float]) -> Figure:
        one = ratio(above, below)
        return Figure(name, one["median"], one["minima"])

    own = samples[SPM]
    return [
        over("menu_over_peer", own.cpu, samples[GRAPH].cpu),
        over(f"wall time of a menu / {GRAPH}'s", own.wall, samples[GRAPH].wall),
        over(f"CPU time of a menu / {BIGTOOL}'s", own.cpu, samples[BIGTOOL].cpu),
    ]
